import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/** How many older updates are woken. Any older one has ended, or waits for a moment that comes anyway. */
const WOKEN_MAX = 50;

/**
 * Makes the waiting slices of older updates of a Live Activity due: what they wait for no longer matters, because they are
 * replaced. The sweep then finds them within a second.
 */
export async function wakeOlderUpdates(
  db: Kysely<Database>,
  { appId, activityId, createdAt }: { appId: string; activityId: string; createdAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    with waiting as (
      select s.app_id, s.notification_id, s.number
      from (
        select p.app_id, p.notification_id from activity_pushes as p
        where p.app_id = ${appId} and p.activity_id = ${activityId} and p.event = 'update' and p.created_at <= ${createdAt}
        order by p.created_at desc limit ${WOKEN_MAX}
      ) as older
      join notifications as n on n.app_id = older.app_id and n.id = older.notification_id and n.state = 'sending'
      join delivery_slices as s on s.app_id = older.app_id and s.notification_id = older.notification_id
      where s.state = 'waiting' and s.not_before > ${now}
      order by s.app_id, s.notification_id, s.number
      for no key update of s skip locked
    )
    update delivery_slices as s set not_before = ${now}
    from waiting
    where s.app_id = waiting.app_id and s.notification_id = waiting.notification_id and s.number = waiting.number`.execute(
    db,
  );
}
