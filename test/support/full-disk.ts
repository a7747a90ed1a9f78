/** A database that answers as one does whose disk is full. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../src/db/tables.ts';

/** The directories that the server writes to most. */
const TABLES = ['delivery_slices', 'delivery_progress', 'devices'];

const REFUSE = `begin
  raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100';
end`;

/** From now on writes fail, and so do new tables, also temporary ones. @returns what makes room again */
export async function fillDisk(db: Kysely<Database>): Promise<() => Promise<void>> {
  const run = async (statement: string): Promise<void> => {
    await sql.raw(statement).execute(db);
  };
  await run(`create or replace function refuse_row() returns trigger language plpgsql as $$ ${REFUSE} $$`);
  await run(
    `create or replace function refuse_table() returns event_trigger language plpgsql as $$ ${REFUSE} $$`,
  );
  for (const table of TABLES) {
    await run(`create trigger no_room before insert or update on ${table} execute function refuse_row()`);
  }
  await run(`create event trigger no_room on ddl_command_start
    when tag in ('CREATE TABLE', 'CREATE TABLE AS') execute function refuse_table()`);
  return async () => {
    await run('drop event trigger no_room');
    for (const table of TABLES) await run(`drop trigger no_room on ${table}`);
  };
}
