/**
 * Provides one real Postgres for the whole run, with a migrated template that every test file clones: the embedded one, or
 * the server of `TEST_DATABASE_URL` (as its superuser; nothing else may use it during the run). With `TEST_PARTITIONS`, what is
 * stored about devices is in that many partitions. One Redis serves all tests that need none of their own. Meanwhile it makes the
 * clients, which tests import, and the bundle of the console.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { connectDatabase } from '../../src/db/connect.ts';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { observeNothing } from '../../src/observe.ts';
import { makeDatabaseDir } from './database-dir.ts';
import { redisProgram, redisServer } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server, as its superuser. */
    postgresUrl: string;
    /** The migrated database that test databases are cloned from. */
    postgresTemplate: string;
    /** The Redis of tests that need no Redis of their own; null if the machine has none. */
    redisUrl: string | null;
  }
}

const MADE_BY = ['clients/generator/generate.ts', 'packages/console/bundle.js'].map((file) =>
  path.join(import.meta.dirname, '../..', file),
);
const TEMPLATE = 'carillon_template';
/** No data outlives the run or has to survive a power failure. A commit takes 0.13 ms so, and 0.34 ms otherwise. */
const UNSAFE_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes'];
/** Four workers of Vitest have up to five processes each at once, with twenty connections. */
const CONNECTIONS_MAX = 500;

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Processes of their own: Vitest runs this file without `import.meta.resolve`.
  const made = Promise.all(MADE_BY.map(async (program) => promisify(execFile)(process.execPath, [program])));
  const postgres = await openPostgres();
  const admin = new Client({ connectionString: postgres.connectionString });
  await admin.connect();
  await admin.query(`drop database if exists ${TEMPLATE}`);
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const template = connectDatabase({
    connectionString: withDatabase(postgres.connectionString, TEMPLATE),
    observe: observeNothing,
  });
  await migrate(template);
  const partitions = Number(process.env['TEST_PARTITIONS'] ?? 0);
  if (partitions > 0) await sql`select partition_devices(${partitions}::integer)`.execute(template);
  await template.destroy();
  project.provide('postgresUrl', postgres.connectionString);
  project.provide('postgresTemplate', TEMPLATE);
  const redis = await openRedis();
  await made;
  project.provide('redisUrl', redis.url);
  return async () => {
    await redis.close();
    await postgres.close();
  };
}

async function openRedis(): Promise<{ url: string | null; close: () => Promise<void> }> {
  const given = process.env['REDIS_URL'];
  if (given !== undefined && given !== '') return { url: given, close: async () => undefined };
  if (redisProgram === undefined) return { url: null, close: async () => undefined };
  const server = redisServer(redisProgram);
  await server.open();
  return { url: server.url, close: server.close };
}

async function openPostgres(): Promise<{ connectionString: string; close: () => Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') return { connectionString: given, close: async () => undefined };
  const dataDir = await makeDatabaseDir('carillon-test-');
  const first = await openEmbeddedPostgres(dataDir, observeNothing);
  const settings = new Client({ connectionString: first.connectionString });
  await settings.connect();
  for (const setting of UNSAFE_SETTINGS) await settings.query(`alter system set ${setting} = off`);
  await settings.query(`alter system set max_connections = ${CONNECTIONS_MAX}`);
  await settings.end();
  await first.close();
  const embedded = await openEmbeddedPostgres(dataDir, observeNothing);
  const admin = new Client({ connectionString: embedded.connectionString });
  await admin.connect();
  // By default client and server hash the password 4,096 times for each of the thousands of connections.
  await admin.query('set scram_iterations = 1');
  const { username, password } = new URL(embedded.connectionString);
  await admin.query(
    `alter role ${admin.escapeIdentifier(username)} password ${admin.escapeLiteral(password)}`,
  );
  await admin.end();
  return {
    connectionString: embedded.connectionString,
    close: async () => {
      await embedded.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function withDatabase(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}
