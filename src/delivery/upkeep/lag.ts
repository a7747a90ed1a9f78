/** The delivery lag. An alert on it shows that workers are dead, stuck or too few. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/**
 * @returns the age of the oldest unfinished work, in milliseconds; 0 if there is none. A slice ages from the moment it
 *   was planned, or from the end of its last delay; an unplanned notification from its due time, a claim from the moment it was
 *   claimed. Leased slices count too, so that a stuck one shows.
 */
export async function readLagMs(db: Kysely<Database>, now: Date): Promise<number> {
  const { rows } = await sql<{ since: Date | null }>`
    select least(
      (select min(s.not_before)
        from notifications n
        join delivery_slices s on s.app_id = n.app_id and s.notification_id = n.id and s.state <> 'done'
        where n.state = 'sending'),
      (select min(started_at) from notifications where state = 'sending' and slices_left = 0),
      (select min(due_at) from notifications where state = 'scheduled')
    ) as since`.execute(db);
  const since = rows[0]?.since ?? now;
  return Math.max(0, now.getTime() - since.getTime());
}
