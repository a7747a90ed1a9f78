/** Reads the names of time zones that Postgres knows; they depend on the system that it runs on. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** The server reads a file for each time zone, which takes some tens of milliseconds. */
export async function readTimeZoneNames(db: Kysely<Database>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from pg_timezone_names`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
