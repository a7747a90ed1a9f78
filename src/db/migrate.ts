/** Brings the schema up to date from `migrations/*.sql`; safe when several processes start at once. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Database } from './tables.ts';

const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations/', import.meta.url));

/**
 * Applies the migrations that are missing, in order, in one transaction, under a lock of the database.
 * @returns the names of those applied now
 * @throws with the database's error as its cause, and nothing applied
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('the schema could not be brought up to date', { cause: error });
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((file) => file.endsWith('.sql'));
  const migrations = files.map(async (file): Promise<[string, Migration]> => {
    const statements = await readFile(new URL(file, `file://${MIGRATIONS_DIR}`), 'utf8');
    return [file.slice(0, -'.sql'.length), { up: (db) => runStatements(db, statements) }];
  });
  return Object.fromEntries(await Promise.all(migrations));
}

async function runStatements(db: Kysely<unknown>, statements: string): Promise<void> {
  // An index over many devices takes longer than any statement of daily work may.
  await sql`set local statement_timeout = 0`.execute(db);
  await sql.raw(statements).execute(db);
}
