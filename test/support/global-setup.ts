/** One real Postgres for the whole run, with a migrated template that every test file clones. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { connectDatabase } from '../../src/db/connect.ts';
import { openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { observeNothing } from '../../src/observe.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server, as its superuser. */
    postgresUrl: string;
    /** The migrated database that test databases are cloned from. */
    postgresTemplate: string;
  }
}

const TEMPLATE = 'carillon_template';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'carillon-test-'));
  const postgres = await openEmbeddedPostgres(dataDir, observeNothing);
  const admin = new Client({ connectionString: postgres.connectionString });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const template = connectDatabase({
    connectionString: withDatabase(postgres.connectionString, TEMPLATE),
    observe: observeNothing,
  });
  await migrate(template);
  await template.destroy();
  project.provide('postgresUrl', postgres.connectionString);
  project.provide('postgresTemplate', TEMPLATE);
  return async () => {
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}

function withDatabase(url: string, name: string): string {
  const result = new URL(url);
  result.pathname = `/${name}`;
  return result.href;
}
