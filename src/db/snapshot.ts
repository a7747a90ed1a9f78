/** Tells whether anything has been written, to the whole database, since it was last asked. */
import { type Kysely, sql } from 'kysely';
import type { Database } from './tables.ts';
import { preparedAs } from './prepared.ts';

/**
 * The transactions whose writes a query sees now, as text: where two are equal, so is all that was read after the
 * first, by whichever process it was written.
 */
export async function readDatabaseState(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ state: string }>`${preparedAs('database_state')}
    select pg_current_snapshot()::text as state`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database told no snapshot');
  return row.state;
}
