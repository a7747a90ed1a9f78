/** The Postgres of the run: the one of `DATABASE_URL`, otherwise a temporary embedded one. */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Client } from 'pg';
import { z } from 'zod';
import { connectDatabase } from '../../src/db/connect.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/db/embedded-postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Database } from '../../src/db/tables.ts';
import { observeNothing } from '../../src/observe.ts';

export interface PostgresServer {
  /** E.g. `embedded Postgres 18.1`. */
  readonly name: string;
  /** Creates an empty, migrated database. */
  createDatabase(): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

export interface BenchDatabase {
  readonly url: string;
  readonly db: Kysely<Database>;
  /** A connection without statement timeout, for inserting millions of devices. */
  readonly sql: Client;
  /** @param row the shape of a row @throws if a row has another one */
  readonly read: <Row extends z.ZodType>(
    row: Row,
    statement: string,
    values?: unknown[],
  ) => Promise<z.output<Row>[]>;
  /** @throws if there is not exactly one row */
  readonly readOne: <Row extends z.ZodType>(
    row: Row,
    statement: string,
    values?: unknown[],
  ) => Promise<z.output<Row>>;
  /** Drops the database. */
  stop(): Promise<void>;
}

/** Those of `docs/sizing.md`. */
const TUNED = {
  shared_buffers: '6GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '15min',
  wal_compression: 'pglz',
};

/**
 * @param dataDir the data directory of an embedded one; the caller removes it
 * @param isTuned whether the embedded one gets the settings that many devices need
 */
export async function openPostgresServer(
  databaseUrl: string | undefined,
  dataDir: string,
  isTuned: boolean,
): Promise<PostgresServer> {
  const embedded = databaseUrl === undefined ? await openEmbedded(dataDir, isTuned) : undefined;
  const url = databaseUrl ?? embedded?.connectionString ?? '';
  const version = await query(url, 'show server_version', z.object({ server_version: z.string() }));
  return {
    name: `${databaseUrl !== undefined ? 'given' : isTuned ? 'tuned' : 'embedded'} Postgres ${version[0]?.server_version ?? ''}`,
    createDatabase: async () => createDatabase(url),
    stop: async () => embedded?.close(),
  };
}

async function openEmbedded(dataDir: string, isTuned: boolean): Promise<EmbeddedPostgres> {
  const postgres = await openEmbeddedPostgres(dataDir, observeNothing);
  if (!isTuned) return postgres;
  for (const [name, value] of Object.entries(TUNED)) {
    await query(postgres.connectionString, `alter system set ${name} = '${value}'`, z.unknown());
  }
  await postgres.close();
  return openEmbeddedPostgres(dataDir, observeNothing);
}

async function createDatabase(serverUrl: string): Promise<BenchDatabase> {
  const name = `carillon_bench_${randomBytes(6).toString('hex')}`;
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  const url = address.href;
  await query(serverUrl, `create database ${name}`, z.unknown());
  const db = connectDatabase({ connectionString: url, observe: observeNothing });
  await migrate(db);
  const client = new Client({ connectionString: url });
  await client.connect();
  const read: BenchDatabase['read'] = async (row, statement, values) =>
    z.array(row).parse((await client.query(statement, values)).rows);
  return {
    url,
    db,
    sql: client,
    read,
    readOne: async (row, statement, values) => {
      const [only, ...others] = await read(row, statement, values);
      if (only === undefined || others.length > 0) throw new Error(`not one row: ${statement}`);
      return only;
    },
    stop: async () => {
      await client.end();
      await db.destroy();
      await query(serverUrl, `drop database ${name} with (force)`, z.unknown());
    },
  };
}

async function query<Row extends z.ZodType>(
  url: string,
  statement: string,
  row: Row,
): Promise<z.output<Row>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return z.array(row).parse((await client.query(statement)).rows);
  } finally {
    await client.end();
  }
}
