/**
 * Applies `migrations/*.sql`. This is safe when several processes start at once, and while others use the database
 * (docs/decisions/0014).
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { DatabaseError } from 'pg';
import { jittered } from '../jitter.ts';
import type { Observe } from '../observe.ts';
import { connectDatabase } from './connect.ts';
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
export async function migrateAt(connectionString: string, observe: Observe): Promise<string[]> {
  const replyTimeoutMs = REPLY_TIMEOUT_MS;
  const db = connectDatabase({ connectionString, observe, connectionsMax: 2, replyTimeoutMs });
  try {
    return await migrate(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Applies the missing migrations in order, in one transaction, under a database lock. Other processes may be running; they
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
    const provider = { getMigrations: async () => migrationsOf(files, db, lockedWithinMs) };
    const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
    if (error === undefined) {
      return results.filter((result) => result.status === 'Success').map((result) => result.migrationName);
    }
    const inUse = error instanceof DatabaseError && TIMED_OUT_OR_DEADLOCKED.has(error.code);
    if (!inUse || performance.now() >= giveUpAt) {
      throw new Error('the schema could not be brought up to date', {
        cause: inUse ? new TablesInUse(IN_USE, { cause: error }) : error,
      });
    }
    await wait(jittered(RETRY_AFTER_MS, Math.random));
  }
}

/** Returns the names of the migrations that have not been applied. Changes nothing. */
export async function missingMigrations(db: Kysely<Database>): Promise<string[]> {
  const names = (await readFiles()).map(({ name }) => name);
  const table = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db);
  if (table.rows[0]?.there !== true) return names;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
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

/** The migrations of this release, and applied ones of a later release. */
async function migrationsOf(
  files: readonly MigrationFile[],
  db: Kysely<Database>,
  lockedWithinMs: number,
): Promise<Record<string, Migration>> {
  const tables = files.flatMap(({ statements }) => tablesCreatedBy(statements));
  const ours = files.map(({ name, statements }): [string, Migration] => [
    name,
    {
      up: async (transaction) => {
        await lockTables(transaction, tables, lockedWithinMs); // the first migration locks them all
        await runStatements(transaction, statements);
      },
    },
  ]);
  const last = ours.at(-1)?.[0] ?? '';
  const later = sql<{ name: string }>`select name from kysely_migration where name > ${last}`;
  const { rows } = await later.execute(db);
  const theirs = rows.map(({ name }): [string, Migration] => [name, appliedAlready(name)]);
  return Object.fromEntries([...ours, ...theirs]);
}

/** An entry for a migration that is already applied: Kysely requires it in the list, but never runs it again. */
function appliedAlready(name: string): Migration {
  return {
    up: async () => {
      throw new Error(`${name} belongs to a later release`);
    },
  };
}

function tablesCreatedBy(statements: string): string[] {
  return Array.from(statements.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name = '']) => name);
}

/**
 * Locks all existing tables before anything changes. If each table were locked only when it is altered, the migration could
 * deadlock with a transaction that holds a later table and waits for an earlier one.
 */
async function lockTables(db: Kysely<unknown>, tables: readonly string[], withinMs: number): Promise<void> {
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

async function runStatements(db: Kysely<unknown>, statements: string): Promise<void> {
  // Building an index over many devices takes longer than the usual statement timeout.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql.raw(statements).execute(db);
}
