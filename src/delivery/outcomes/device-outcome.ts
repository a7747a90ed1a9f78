/** "Did device D get notification N?": one look-up of a slice by its range, one search in what is on record of it. */
import { type Kysely, sql } from 'kysely';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import { matchesDevice } from '../../targeting/matching-devices.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../errors.ts';
import { readableReason } from '../../gateways/reason.ts';
import { noSuchNotification } from '../../notifications/read.ts';
import { findOutcome, type Outcome, type OutcomeKind } from './packed.ts';

export interface DeviceDelivery {
  notification_id: string;
  device_id: string;
  outcome: OutcomeKind | 'pending' | 'not_targeted';
  /** The gateway's own word, or a sentence where the push was not answered. */
  reason: string | null;
  /** ISO 8601 with milliseconds; null while there is no outcome. */
  at: string | null;
}

/** Ids are UUIDs, in lower case. */
export interface DeliveryKey {
  appId: string;
  notificationId: string;
  deviceId: string;
  now: Date;
}

/** What is on record of one device and a notification. */
export interface FoundDelivery {
  /** Undefined: none is on record, perhaps not yet. */
  outcome: Outcome | undefined;
  /** Of the slice that has the device's id in its range; null where there is none, or it was pruned. */
  sliceState: 'waiting' | 'leased' | 'done' | null;
  hasOutcomes: boolean;
  /** It failed before it was cut into slices. */
  failedWhole: boolean;
  /** Whether the app has the device. */
  hasDevice: boolean;
  /** JSON of the audience's filters. */
  filters: unknown;
  reason: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
  prunedAt: Date | null;
}

/** By one statement. @returns undefined where the app has no such notification */
export async function findDelivery(
  db: Kysely<Database>,
  { appId, notificationId, deviceId }: DeliveryKey,
): Promise<FoundDelivery | undefined> {
  const row = await db
    .selectFrom('notifications as n')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.app_id', '=', 'n.app_id').onRef('a.id', '=', 'n.audience_id'),
    )
    .leftJoin('delivery_slices as s', (join) =>
      join
        .onRef('s.app_id', '=', 'n.app_id')
        .onRef('s.notification_id', '=', 'n.id')
        .on('s.first_id', '<=', deviceId)
        .on('s.last_id', '>=', deviceId),
    )
    .leftJoin('devices as d', (join) => join.onRef('d.app_id', '=', 'n.app_id').on('d.id', '=', deviceId))
    .select(['n.started_at', 'n.ended_at', 'n.pruned_at', 'n.reason', 'a.filters', 'd.id as device_id'])
    .select(['s.state as slice_state', 's.outcomes'])
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

/**
 * @throws {ApiError} not_found where the app has no such notification, or where it ended so long ago that its
 *   outcomes by device have been pruned: they are gone, and `not_targeted` would be a guess
 */
export async function readDelivery(db: Kysely<Database>, key: DeliveryKey): Promise<DeviceDelivery> {
  const delivery = await findDelivery(db, key);
  if (delivery === undefined) throw noSuchNotification();
  const { outcome, sliceState, hasOutcomes, failedWhole } = delivery;
  const answer = { notification_id: key.notificationId, device_id: key.deviceId };
  if (outcome !== undefined) {
    const { kind, reason, atMs } = outcome;
    const text = reason === null ? null : readableReason(reason);
    return { ...answer, outcome: kind, reason: text, at: new Date(atMs).toISOString() };
  }
  // Slices cover every id there can be: where outcomes were recorded and the slice is gone, it was pruned.
  if (sliceState === null && hasOutcomes && !failedWhole) {
    throw new ApiError('not_found', {
      message:
        'The outcomes of this notification are no longer kept by device, as it ended long ago; its counters are.',
    });
  }
  // A finished slice knows every device it was for; before that, the audience says who is to come.
  const targeted = sliceState !== 'done' && (await isInAudience(db, key, delivery));
  if (!targeted) return { ...answer, outcome: 'not_targeted', reason: null, at: null };
  if (!failedWhole) return { ...answer, outcome: 'pending', reason: null, at: null };
  // No outcome was stored: whoever is in the audience now is taken for one of those that it was to reach.
  const { reason, endedAt } = delivery;
  return { ...answer, outcome: 'rejected', reason, at: endedAt?.toISOString() ?? null };
}

/** Whether the device is in the audience, as it is now with the dates of the notification's start. */
export async function isInAudience(
  db: Kysely<Database>,
  { appId, deviceId, now }: DeliveryKey,
  { filters, startedAt }: FoundDelivery,
): Promise<boolean> {
  return matchesDevice(db, {
    appId,
    deviceId,
    filters: filtersOfAudience(filters),
    now: startedAt ?? now,
  });
}
