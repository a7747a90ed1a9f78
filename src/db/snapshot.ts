/** Shows whether anything has been written to the database since an earlier query. */
import { type Kysely, sql } from 'kysely';
import type { Database } from './tables.ts';
import { preparedAs } from './prepared.ts';

/**
 * Returns the current snapshot of Postgres as text: it identifies the transactions whose writes a query sees now. If two
 * snapshots are equal, no process has committed a write between them, so everything read after the first still holds.
 */
export async function readSnapshot(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`${preparedAs('snapshot')}
    select pg_current_snapshot()::text as snapshot`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres returned no snapshot');
  return row.snapshot;
}
