/** Brings the schema up to date from `migrations/*.sql`; safe when several processes start at once. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Database } from './tables.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations/', import.meta.url));

/**
 * Applies the migrations that are missing, in order, in one transaction, under a lock of the database. A schema that
 * a later release has brought further is left as it is: this release can work on it, and may have to start on it.
 * @returns the names of those applied now
 * @throws with the database's error as its cause, and nothing applied
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => readMigrations(db) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('the schema could not be brought up to date', { cause: error });
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

/** Those of this release, and those of a later one that are in the schema already. */
async function readMigrations(db: Kysely<Database>): Promise<Record<string, Migration>> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((file) => file.endsWith('.sql')).sort();
  const migrations = files.map(async (file): Promise<[string, Migration]> => {
    const statements = await readFile(new URL(file, `file://${MIGRATIONS_DIR}`), 'utf8');
    return [file.slice(0, -'.sql'.length), { up: (transaction) => runStatements(transaction, statements) }];
  });
  const ours = await Promise.all(migrations);
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

async function runStatements(db: Kysely<unknown>, statements: string): Promise<void> {
  // An index over many devices takes longer than any statement of daily work may.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql.raw(statements).execute(db);
}
