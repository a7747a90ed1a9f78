/** The delivery lag, on which an operator is alerted when workers are dead, stuck or too few. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/**
 * Age in milliseconds of the oldest unfinished work: since a slice was planned, or was due again after a delay that a gateway
 * asked for, or since an unplanned notification was due. Slices that a worker has leased count too, so a stuck one shows.
 * 0 where there is nothing to do.
 */
export async function readLagMs(db: Kysely<Database>, now: Date): Promise<number> {
  const { rows } = await sql<{ since: Date | null }>`
    select least(
      (select min(s.not_before)
        from notifications n
        join delivery_slices s on s.app_id = n.app_id and s.notification_id = n.id and s.state <> 'done'
        where n.state = 'sending'),
      (select min(due_at) from notifications where state = 'scheduled')
    ) as since`.execute(db);
  const since = rows[0]?.since ?? now;
  return Math.max(0, now.getTime() - since.getTime());
}
