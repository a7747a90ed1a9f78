/** The heartbeat: a number that only rises, written to the primary and read from the replica. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** Raises the number. @returns it */
export async function beat(primary: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    update replica_heartbeat set number = number + 1 returning number`.execute(primary);
  return numberOf(rows);
}

/** @returns the number that the replica shows */
export async function readBeat(replica: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ number: number }>`select number from replica_heartbeat`.execute(replica);
  return numberOf(rows);
}

function numberOf([row]: readonly { number: number }[]): number {
  if (row === undefined) throw new Error('the table replica_heartbeat has lost its row');
  return row.number;
}
