/**
 * Finds the outcome of one device: looks up the slice by its range of ids, and searches its packed outcomes. A notification
 * that was sent as a whole has them in its own row, which counts as its only slice.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { findOutcome, type Outcome } from './packed.ts';

/** Ids are UUIDs, in lower case. */
export interface DeliveryKey {
  appId: string;
  notificationId: string;
  deviceId: string;
  now: Date;
}

/** The stored data of a device and a notification. */
export interface FoundDelivery {
  /** Undefined if none is saved, or none yet. */
  outcome: Outcome | undefined;
  /** The state of the slice that has the device's id in its range; null if there is none, or it was pruned. */
  sliceState: 'waiting' | 'leased' | 'done' | null;
  /** Whether any device of the notification has an outcome. */
  hasOutcomes: boolean;
  /** Whether the notification failed before it was cut into slices. */
  failedWhole: boolean;
  /** Whether the app has the device. */
  hasDevice: boolean;
  /** JSON of the filters of its target. */
  filters: unknown;
  reason: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
  prunedAt: Date | null;
}

/** Reads it all by one statement. @returns undefined if the app has no such notification */
export async function findDelivery(
  db: Kysely<Database>,
  { appId, notificationId, deviceId }: DeliveryKey,
): Promise<FoundDelivery | undefined> {
  const row = await db
    .selectFrom('notifications as n')
    .leftJoin('delivery_slices as s', (join) =>
      join
        .onRef('s.app_id', '=', 'n.app_id')
        .onRef('s.notification_id', '=', 'n.id')
        .on('s.first_id', '<=', deviceId)
        .on('s.last_id', '>=', deviceId),
    )
    .leftJoin('devices as d', (join) => join.onRef('d.app_id', '=', 'n.app_id').on('d.id', '=', deviceId))
    .select([
      'n.started_at',
      'n.ended_at',
      'n.pruned_at',
      'n.reason',
      'd.id as device_id',
      targetFilters.as('filters'),
    ])
    .select(
      sql<FoundDelivery['sliceState']>`case when n.outcomes is null then s.state else 'done' end`.as(
        'slice_state',
      ),
    )
    .select(sql<Buffer | null>`coalesce(n.outcomes, s.outcomes)`.as('outcomes'))
    .select(
      sql<Buffer[]>`array(
        select p.outcomes from delivery_progress as p
        where p.app_id = s.app_id and p.notification_id = s.notification_id and p.number = s.number
      )`.as('parts'),
    )
    .select(
      sql<boolean>`n.accepted + n.rejected + n.unregistered + n.no_token + n.ambiguous > 0`.as(
        'has_outcomes',
      ),
    )
    .select(
      sql<boolean>`n.state = 'failed' and s.state is null and (n.rejected = n.devices
        or n.accepted + n.rejected + n.unregistered + n.no_token + n.ambiguous = 0)`.as('failed_whole'),
    )
    .where('n.app_id', '=', appId)
    .where('n.id', '=', notificationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const recorded = row.outcomes === null ? row.parts : [row.outcomes, ...row.parts];
  return {
    outcome: recorded.flatMap((packed) => findOutcome(packed, deviceId) ?? [])[0],
    sliceState: row.slice_state,
    hasOutcomes: row.has_outcomes,
    failedWhole: row.failed_whole,
    hasDevice: row.device_id !== null,
    filters: row.filters,
    reason: row.reason,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    prunedAt: row.pruned_at,
  };
}
