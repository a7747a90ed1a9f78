/** Opens the resources of a process in one place; all other code receives them as arguments. */
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { opensStoredCredentials } from '../apps/credentials/store.ts';
import type { SecretKey } from '../apps/seal.ts';
import { loadSecretKey, parseSecretKey } from './secret-key.ts';
import { opensTokenKeys } from '../apps/token-keys.ts';
import { type Config, ConfigError } from './config.ts';
import { findPooler, POOLER_ADVICE } from '../db/address/pooler.ts';
import { tlsAdvice } from '../db/address/tls-advice.ts';
import {
  MAIN_THREAD_CONNECTIONS_MAX,
  connectDatabase,
  databaseOn,
  openPool,
  type Pooler,
  type PoolUse,
  poolUseOf,
} from '../db/connect.ts';
import { openEmbeddedPostgres } from '../db/embedded-postgres.ts';
import { migrateAt } from '../db/migrate.ts';
import type { Database } from '../db/tables.ts';
import { isRefusedByPooler } from '../db/unavailable.ts';
import { type Observe, observeNothing } from '../observe.ts';

export type Resources = Awaited<ReturnType<typeof openResources>>;

/** Returns the key from the settings, otherwise from the data directory, where it is created if missing. */
export async function readSecretKey(config: Config): Promise<SecretKey> {
  return config.secretKey === undefined
    ? loadSecretKey(config.dataDir)
    : parseSecretKey(config.secretKey, config.secretKeyPrevious);
}

/**
 * If such a pooler ignores the start-up parameters, the process starts, but prepared statements fail from time to time.
 * @throws {ConfigError}
 */
async function refuseOtherPooler(pool: Pool, pooler: Pooler): Promise<void> {
  if (pooler === 'transaction' || (await findPooler(pool)) !== 'in transaction mode') return;
  throw new ConfigError([
    pooler === 'none'
      ? POOLER_ADVICE
      : 'DATABASE_URL leads through a connection pooler that keeps no prepared statements: set DATABASE_POOLER to transaction (docs/postgres.md)',
  ]);
}

async function opensStored(db: Kysely<Database>, secret: SecretKey): Promise<boolean> {
  return (await opensStoredCredentials(db, secret)) && (await opensTokenKeys(db, secret));
}

const WATCH_TIMEOUT_MS = 2_000;

/** Connections that no other work uses, whose statements end soon, whatever the database does. */
export function openWatchDb(connectionString: string, pooler: Pooler): Kysely<Database> {
  return connectDatabase({
    connectionString,
    observe: observeNothing,
    pooler,
    connectionsMax: 2,
    // To connect may take longer: a database that stands still must not look like one that refuses connections.
    statementTimeoutMs: WATCH_TIMEOUT_MS,
    replyTimeoutMs: 2 * WATCH_TIMEOUT_MS, // Postgres cancels sooner, if it lives
  });
}

/** Runs an attempt on the database, or repeats it until the database answers. */
type WhenDatabaseAnswers = <T>(attempt: () => Promise<T>, db: Kysely<Database>) => Promise<T>;

/**
 * Opens the database (the embedded one if DATABASE_URL is not set), migrates its schema and loads the secret key.
 * @throws the database's error, after closing everything
 * @throws {ConfigError} if the stored secrets were encrypted with another key, DATABASE_POOLER does not fit the pooler,
 *   or Postgres and DATABASE_URL disagree about TLS
 */
export async function openResources(
  config: Config,
  observe: Observe,
  whenDatabaseAnswers: WhenDatabaseAnswers = async (attempt) => attempt(),
) {
  const secret = await readSecretKey(config);
  const embedded =
    config.databaseUrl === undefined ? await openEmbeddedPostgres(config.dataDir, observe) : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.connectionString ?? '';
  const { databasePooler: pooler } = config;
  const pool = openPool({
    connectionString: databaseUrl,
    observe,
    pooler,
    ...(config.role !== 'api' && { connectionsMax: MAIN_THREAD_CONNECTIONS_MAX }),
  });
  const db = databaseOn(pool, { pooler });
  const watchDb = openWatchDb(databaseUrl, pooler);
  const close = async (): Promise<void> => {
    await watchDb.destroy();
    await db.destroy();
    await embedded?.close();
  };
  try {
    await whenDatabaseAnswers(async () => refuseOtherPooler(pool, pooler), db);
    const migrations = await whenDatabaseAnswers(async () => migrateAt(databaseUrl, observe, pooler), db);
    if (migrations.length > 0) observe({ kind: 'migrated', migrations });
    if (!(await whenDatabaseAnswers(async () => opensStored(db, secret), db))) {
      throw new ConfigError([
        'the stored credentials were encrypted with another key; set SECRET_KEY to that key',
      ]);
    }
  } catch (error) {
    await close();
    if (isRefusedByPooler(error)) {
      throw new ConfigError([
        pooler === 'none'
          ? 'DATABASE_URL leads through a connection pooler: set DATABASE_POOLER (docs/postgres.md)'
          : 'the connection pooler refuses a parameter in DATABASE_URL, such as options: remove it there, or name it in ignore_startup_parameters',
      ]);
    }
    const tls = tlsAdvice(error);
    if (tls !== undefined) throw new ConfigError([`DATABASE_URL: ${tls}`]);
    throw error;
  }
  return {
    db,
    /** For looking at the database once a second (`status/status.ts`), and at locks when all statements of `db` wait for one. */
    watchDb,
    /** The address of the external or embedded database. */
    databaseUrl,
    /** Encrypts the gateway credentials, the secrets of webhooks and the keys of retired push tokens. */
    secret,
    close,
    /** Leaves the embedded database without closing connections first, for a process that is about to exit. */
    abandon: async (): Promise<void> => embedded?.close(),
    /** Holds the embedded database for one server; always true with an external Postgres. */
    holdForServer: async (): Promise<boolean> => (await embedded?.holdForServer()) ?? true,
    poolUse: (): PoolUse => poolUseOf(pool),
  };
}
