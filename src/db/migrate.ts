/**
 * Applies `migrations/*.sql`. This is safe when several processes start at once, and while others use the database
 * (docs/decisions/0014).
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { jittered } from '../scheduling/jitter.ts';
import type { Observe } from '../observe.ts';
import { connectDatabase, type Pooler } from './connect.ts';
import type { Database } from './tables.ts';
import { TablesInUse } from './unavailable.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** A migration may build an index over many devices. */
const REPLY_TIMEOUT_MS = 3_600_000;
/**
 * Shorter than Postgres' `deadlock_timeout` of one second. If other transactions lock the tables in another order, the
 * migration gives up and retries before Postgres detects a deadlock and aborts one of them.
 */
const LOCKED_WITHIN_MS = 500;
/** Every fifth attempt waits longer than `deadlock_timeout`: only then does Postgres cancel an autovacuum on a table. */
const PATIENT_LOCKED_WITHIN_MS = 3_000;
const PATIENT_EVERY = 5;
/** While a process migrates, the others try again this often. */
const LOCK_TIMEOUT_MS = 30_000;
/** The key of Kysely's lock, which never changes. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n;
/** Lets other transactions run between two attempts. */
const RETRY_AFTER_MS = 250;
/** Shorter than the grace period that platforms give a process to stop. */
const GIVE_UP_AFTER_MS = 20_000;
/** SQLSTATE of a statement timeout and of a deadlock. */
const TIMED_OUT_OR_DEADLOCKED: ReadonlySet<string | undefined> = new Set(['57014', '40P01']);
const IN_USE = 'could not lock the tables: another transaction or migration holds them';

interface MigrationFile {
  name: string;
  statements: string;
}

/** Runs `migrate` on its own connections: the usual ones time out sooner than a migration may take. */
export async function migrateAt(
  connectionString: string,
  observe: Observe,
  pooler: Pooler = 'none',
): Promise<string[]> {
  const replyTimeoutMs = REPLY_TIMEOUT_MS;
  const db = connectDatabase({ connectionString, observe, connectionsMax: 2, replyTimeoutMs, pooler });
  try {
    return await migrate(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Applies the missing migrations in order, in one transaction, which holds a database lock. Other processes may be running; they
 * wait while the schema changes. Migrations of a later release stay, because this release works with them, and must be
 * able to start after a rollback.
 * @param giveUpAfterMs how long to retry while others hold the tables
 * @returns the names of the applied migrations
 * @throws {Error} with the database's error or {@link TablesInUse} as its cause; then nothing was applied
 */
export async function migrate(db: Kysely<Database>, giveUpAfterMs = GIVE_UP_AFTER_MS): Promise<string[]> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  const files = await readFiles();
  for (let attempt = 1; ; attempt += 1) {
    const lockedWithinMs = attempt % PATIENT_EVERY === 0 ? PATIENT_LOCKED_WITHIN_MS : LOCKED_WITHIN_MS;
    try {
      if (missingOf(files, await readApplied(db)).length === 0) return [];
      return await db
        .transaction()
        .execute(async (transaction) => applyMissing(transaction, files, lockedWithinMs));
    } catch (error) {
      const inUse = error instanceof DatabaseError && TIMED_OUT_OR_DEADLOCKED.has(error.code);
      if (!inUse || performance.now() >= giveUpAt) {
        throw notUpToDate(inUse ? new TablesInUse(IN_USE, { cause: error }) : error);
      }
    }
    await wait(jittered(RETRY_AFTER_MS, Math.random));
  }
}

function notUpToDate(cause: unknown): Error {
  return new Error('the schema could not be brought up to date', { cause });
}

/**
 * Kysely's own migrator is not used: its lock belongs to the session, and a pooler lends the session to others while
 * the lock is held (docs/decisions/0035). The lock and the tables are the same, so that the two migrators exclude each
 * other.
 */
async function applyMissing(
  transaction: Kysely<Database>,
  files: readonly MigrationFile[],
  lockedWithinMs: number,
): Promise<string[]> {
  await sql`set local statement_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
  await sql
    .raw(
      'create table if not exists kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    )
    .execute(transaction);
  const missing = missingOf(files, await readApplied(transaction));
  if (missing.length === 0) return [];
  await lockTables(
    transaction,
    files.flatMap(({ statements }) => tablesCreatedBy(statements)),
    lockedWithinMs,
  );
  // Building an index over many devices takes longer than the usual statement timeout.
  await sql`set local statement_timeout = 0`.execute(transaction);
  for (const { name, statements } of missing) {
    await sql.raw(statements).execute(transaction);
    await sql`insert into kysely_migration values (${name}, ${new Date().toISOString()})`.execute(
      transaction,
    );
  }
  return missing.map(({ name }) => name);
}

/** Returns the names of the migrations that have not been applied. Changes nothing. */
export async function missingMigrations(db: Kysely<Database>): Promise<string[]> {
  return missingOf(await readFiles(), await readApplied(db)).map(({ name }) => name);
}

/**
 * @throws {Error} if a migration was applied that this release should know; it need not know migrations of later
 *   releases
 */
function missingOf(files: readonly MigrationFile[], applied: ReadonlySet<string>): MigrationFile[] {
  const known = new Set(files.map(({ name }) => name));
  const last = files.at(-1)?.name ?? '';
  const unknown = [...applied].filter((name) => name <= last && !known.has(name));
  if (unknown.length > 0)
    throw new Error(`this release does not have these migrations: ${unknown.join(', ')}`);
  return files.filter(({ name }) => !applied.has(name));
}

async function readApplied(db: Kysely<Database>): Promise<Set<string>> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db);
  if (rows[0]?.there !== true) return new Set();
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return new Set(applied.rows.map(({ name }) => name));
}

/** Reads the migrations, sorted by name. */
async function readFiles(): Promise<MigrationFile[]> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, '.sql'),
      statements: await readFile(path.join(MIGRATIONS_DIR, file), 'utf8'),
    })),
  );
}

function tablesCreatedBy(statements: string): string[] {
  return Array.from(statements.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name = '']) => name);
}

/**
 * Locks all existing tables before anything changes. If each table were locked only when it is altered, the migration could
 * deadlock with a transaction that holds a later table and waits for an earlier one.
 */
async function lockTables(db: Kysely<Database>, tables: readonly string[], withinMs: number): Promise<void> {
  const existing = sql<{ name: string }>`
    select name from unnest(${tables}::text[]) with ordinality as created (name, position)
    where to_regclass(name) is not null order by position`;
  const { rows } = await existing.execute(db);
  if (rows.length === 0) return;
  await sql`set local statement_timeout = ${sql.lit(withinMs)}`.execute(db);
  await sql`lock table ${sql.join(rows.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(
    db,
  );
}
