/**
 * Brings the schema up to date from `migrations/*.sql`; safe when several processes start at once, and beside others
 * that are at work (docs/decisions/0014).
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { DatabaseError } from 'pg';
import type { Observe } from '../observe.ts';
import { connectDatabase } from './connect.ts';
import type { Database } from './tables.ts';
import { TablesInUse } from './unavailable.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** A migration may build an index over many devices. */
const REPLY_TIMEOUT_MS = 3_600_000;
/**
 * Less than the second after which Postgres ends one of two that wait for each other (`deadlock_timeout`): where
 * transactions of daily work have the tables in another order, it is we who give way.
 */
const LOCKED_WITHIN_MS = 500;
/** Now and then more than that second: only then does Postgres send an autovacuum away that is in our way. */
const PATIENT_LOCKED_WITHIN_MS = 3_000;
const PATIENT_EVERY = 5;
/** Daily work goes on meanwhile. */
const TRY_AGAIN_AFTER_MS = 250;
/** Less than a process that was told to stop is given. */
const GIVE_UP_AFTER_MS = 20_000;
/** A statement that was cut, as for its time; and one of two that waited for each other. */
const CUT_OR_DEADLOCKED: ReadonlySet<string | undefined> = new Set(['57014', '40P01']);
const IN_USE = 'its tables stay in use, by a long transaction or by another migration';

interface MigrationFile {
  name: string;
  statements: string;
}

/** As `migrate`, on connections of its own: those of daily work do not wait for an answer for so long. */
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
 * Applies the migrations that are missing, in order, in one transaction, under a lock of the database. Processes may be
 * at work on the schema meanwhile: they wait while it changes. A schema that a later release has brought further is
 * left as it is: this release can work on it, and may have to start on it.
 * @param giveUpAfterMs where others do not let go of the tables
 * @returns the names of those applied now
 * @throws with the database's error or {@link TablesInUse} as its cause, and nothing applied
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
    const inUse = error instanceof DatabaseError && CUT_OR_DEADLOCKED.has(error.code);
    if (!inUse || performance.now() >= giveUpAt) {
      throw new Error('the schema could not be brought up to date', {
        cause: inUse ? new TablesInUse(IN_USE, { cause: error }) : error,
      });
    }
    await wait(TRY_AGAIN_AFTER_MS);
  }
}

/** The names of those that have not been applied; changes nothing. */
export async function missingMigrations(db: Kysely<Database>): Promise<string[]> {
  const names = (await readFiles()).map(({ name }) => name);
  const table = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db);
  if (table.rows[0]?.there !== true) return names;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
}

/** In their order. */
async function readFiles(): Promise<MigrationFile[]> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, '.sql'),
      statements: await readFile(path.join(MIGRATIONS_DIR, file), 'utf8'),
    })),
  );
}

/** Those of this release, and those of a later one that are in the schema already. */
async function migrationsOf(
  files: readonly MigrationFile[],
  db: Kysely<Database>,
  lockedWithinMs: number,
): Promise<Record<string, Migration>> {
  const tables = files.flatMap(({ statements }) => tablesMadeBy(statements));
  const ours = files.map(({ name, statements }): [string, Migration] => [
    name,
    {
      up: async (transaction) => {
        await lockTables(transaction, tables, lockedWithinMs); // by the first; those after it find them taken
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

/** Takes its place in the list, and is not applied a second time. */
function appliedAlready(name: string): Migration {
  return {
    up: async () => {
      throw new Error(`${name} belongs to a later release`);
    },
  };
}

function tablesMadeBy(statements: string): string[] {
  return Array.from(statements.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name = '']) => name);
}

/**
 * All that are there, before anything changes: who takes one after the other as it changes them meets daily work that
 * has the next and waits for the last.
 */
async function lockTables(db: Kysely<unknown>, tables: readonly string[], withinMs: number): Promise<void> {
  const made = sql<{ name: string }>`
    select name from unnest(${tables}::text[]) with ordinality as made (name, place)
    where to_regclass(name) is not null order by place`;
  const { rows } = await made.execute(db);
  if (rows.length === 0) return;
  await sql`set local statement_timeout = ${sql.lit(withinMs)}`.execute(db);
  await sql`lock table ${sql.join(rows.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(
    db,
  );
}

async function runStatements(db: Kysely<unknown>, statements: string): Promise<void> {
  // An index over many devices takes longer than any statement of daily work may.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql.raw(statements).execute(db);
}
