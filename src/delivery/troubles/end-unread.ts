/** Ends a slice whose devices cannot be read. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { devicesDone } from '../outcomes/devices-done.ts';
import { tallyOf } from '../outcomes/packed.ts';
import type { SlicePart } from '../outcomes/slice-outcomes.ts';
import { lastReason } from '../outcomes/store.ts';
import { held } from '../slice-store.ts';

/**
 * Assignments to the notification `n` that end a part of it whose devices count as rejected. They end the notification as failed if the
 * part is the last one.
 * @param share how many devices the part has, as far as that is known; the last part has all that are left
 */
export function givingUp({
  share,
  sentence,
  now,
}: {
  share: RawBuilder<unknown>;
  sentence: string;
  now: Date;
}): RawBuilder<unknown> {
  const closes = sql`n.state = 'sending' and n.slices_left = 1`;
  const left = sql`greatest(n.devices - ${devicesDone}, 0)`;
  const unsent = sql`array(select distinct note from unnest(n.unsent || ${[sentence]}::text[]) as note order by note)`;
  return sql`rejected = n.rejected + case when ${closes} then ${left} else least(${left}, ${share}) end,
      devices = greatest(n.devices, ${devicesDone}),
      slices_left = n.slices_left - 1,
      unsent = ${unsent},
      state = case when ${closes} then 'failed' else n.state end,
      reason = case when ${closes} then ${lastReason(sql`n.refused`, unsent)} else n.reason end,
      ended_at = case when ${closes} then ${now} else n.ended_at end,
      encrypted_body = case when ${closes} then null else n.encrypted_body end`;
}

/**
 * Ends a slice with the outcomes that were saved. Its other devices count as rejected. They cannot be counted, so their
 * number is the slice's share of the planned devices, or all remaining devices for the last slice. Does nothing if this
 * worker does not hold the slice.
 * @returns the reason of the notification if this ends it
 */
export async function endUnread(
  db: Kysely<Database>,
  { slice, outcomes }: Pick<SlicePart, 'slice' | 'outcomes'>,
  { sentence, now }: { sentence: string; now: Date },
): Promise<{ reason: string | null } | undefined> {
  const { appId, notificationId, number } = slice;
  const share = sql`ceil(n.devices::float8 / (
    select count(*) from delivery_slices as s where s.app_id = n.app_id and s.notification_id = n.id
  ))::bigint`;
  const { rows } = await sql<{ reason: string | null; hasEnded: boolean }>`
    with slice as (
      update delivery_slices set
        state = 'done', outcomes = ${outcomes}, tally = ${JSON.stringify(tallyOf(outcomes))}::jsonb,
        lease_until = null, trying = null, finished_at = ${now}
      where ${held(slice)}
      returning number
    ), parts as (
      delete from delivery_progress
      where app_id = ${appId} and notification_id = ${notificationId} and number = ${number} and exists (select from slice)
    )
    update notifications as n set ${givingUp({ share, sentence, now })}
    from slice
    where n.app_id = ${appId} and n.id = ${notificationId}
    returning n.reason, n.ended_at is not distinct from ${now} as "hasEnded"`.execute(db);
  const [row] = rows;
  return row?.hasEnded === true ? { reason: row.reason } : undefined;
}
