/** How far delivery is behind: what an operator is woken for when workers are dead, stuck or too few. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/**
 * For how long, in milliseconds, the oldest unfinished slice could have been started: since it was planned,
 * or since it was due again where a gateway had put it off. A slice in a worker's hands counts too: one that
 * is stuck there must show. So does a notification that is due and that nobody has planned. 0 where there is
 * nothing to do.
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
