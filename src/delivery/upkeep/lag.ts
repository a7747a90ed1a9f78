/** The delivery lag. An alert on it shows that workers are dead, stuck or too few. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/**
 * @returns the age of the oldest unfinished work, in milliseconds; 0 if there is none. A slice ages from the moment it
 *   was planned, or from the end of its last delay; an unplanned notification and a wave from their due time; a claim from
 *   the moment it was claimed. Leased slices count too, so that a stuck one shows.
 */
export async function readLagMs(db: Kysely<Database>, now: Date): Promise<number> {
  const { rows } = await sql<{ since: Date | null }>`
    select least(
      (select min(s.not_before)
        from notifications n
        join delivery_slices s on s.app_id = n.app_id and s.notification_id = n.id and s.state <> 'done'
        where n.state = 'sending'),
      (select min(started_at) from notifications where state = 'sending' and slices_left = 0),
      (select min(due_at) from notifications where state = 'scheduled'),
      (select min(due_at) from notification_waves where state = 'waiting')
    ) as since`.execute(db);
  const since = rows[0]?.since ?? now;
  return Math.max(0, now.getTime() - since.getTime());
}

/** The count reads no more waves than this, however many single pushes are held. */
const WAVES_COUNTED_MAX = 20_000;

/** @returns how late the oldest waiting wave is, and how many devices are in the next waves, as planning counted them */
export async function readWaitingWaves(
  db: Kysely<Database>,
  now: Date,
): Promise<{ lagMs: number; heldDevices: number }> {
  const { rows } = await sql<{ since: Date | null; held: number }>`
    select min(w.due_at) as since, coalesce(sum(w.devices), 0)::bigint as held
    from (
      select app_id, notification_id, due_at, devices from notification_waves
      where state = 'waiting' order by due_at limit ${WAVES_COUNTED_MAX}
    ) as w
    join notifications as n on n.app_id = w.app_id and n.id = w.notification_id and n.state = 'sending'`.execute(
    db,
  );
  const { since = null, held = 0 } = rows[0] ?? {};
  return { lagMs: Math.max(0, now.getTime() - (since ?? now).getTime()), heldDevices: held };
}
