/** Ends a wave that cannot be started. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { givingUp } from '../troubles/end-unread.ts';
import type { WaveKey } from './wave-store.ts';

/**
 * The devices of the wave, as planning counted them, are rejected; all that are left if it is the last part of the notification, which
 * then ends as failed. Does nothing if the wave does not wait.
 * @returns the notification if this ends it
 */
export async function giveUpWave(
  db: Kysely<Database>,
  { appId, notificationId, wave }: WaveKey,
  { sentence, now }: { sentence: string; now: Date },
): Promise<{ reason: string | null; requestId: string } | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Locked in the same order by the start of a wave.
    await sql`select from notifications where app_id = ${appId} and id = ${notificationId} for no key update`.execute(
      transaction,
    );
    const { rows } = await sql<{ reason: string | null; requestId: string; hasEnded: boolean }>`
      with wave as (
        update notification_waves set state = 'over'
        where app_id = ${appId} and notification_id = ${notificationId} and wave = ${wave} and state = 'waiting'
        returning devices
      ), trouble as (
        update notification_troubles set gave_up = true, failures = 0, not_before = null
        where app_id = ${appId} and notification_id = ${notificationId}
      )
      update notifications as n set ${givingUp({ share: sql`wave.devices`, sentence, now })}
      from wave
      where n.app_id = ${appId} and n.id = ${notificationId}
      returning n.reason, n.request_id as "requestId", n.ended_at is not distinct from ${now} as "hasEnded"`.execute(
      transaction,
    );
    const [row] = rows;
    return row?.hasEnded === true ? { reason: row.reason, requestId: row.requestId } : undefined;
  });
}
