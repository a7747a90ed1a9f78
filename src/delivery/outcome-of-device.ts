/** "Did device D get notification N?": one look-up of a slice by its range, one search in what is on record of it. */
import { type Kysely, sql } from 'kysely';
import { filtersOfAudience } from '../audiences/audience-store.ts';
import { matchesDevice } from '../audiences/matching-devices.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { findOutcome, type OutcomeKind } from './outcome.ts';

export interface DeviceDelivery {
  notification_id: string;
  device_id: string;
  outcome: OutcomeKind | 'pending' | 'not_targeted';
  /** In the gateway's own words. */
  reason: string | null;
  /** ISO 8601 with milliseconds; null while there is no outcome. */
  at: string | null;
}

/**
 * @param key ids as UUIDs
 * @throws {ApiError} not_found where the app has no such notification, or where it ended so long ago that its
 *   outcomes by device have been pruned: they are gone, and `not_targeted` would be a guess
 */
export async function readDelivery(
  db: Kysely<Database>,
  key: { appId: string; notificationId: string; deviceId: string; now: Date },
): Promise<DeviceDelivery> {
  const { appId, notificationId, deviceId } = key;
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
    .select(['n.started_at', 'n.ended_at', 'n.reason', 'a.filters', 's.state as slice_state', 's.outcomes'])
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
    // It failed before it was cut into slices.
    .select(
      sql<boolean>`n.state = 'failed' and s.state is null and (n.rejected = n.devices
        or n.accepted + n.rejected + n.unregistered + n.no_token + n.ambiguous = 0)`.as('failed_whole'),
    )
    .where('n.app_id', '=', appId)
    .where('n.id', '=', notificationId)
    .executeTakeFirst();
  if (row === undefined) throw new ApiError('not_found', { message: 'There is no such notification.' });

  const recorded = row.outcomes === null ? row.parts : [row.outcomes, ...row.parts];
  const [found] = recorded.flatMap((packed) => findOutcome(packed, deviceId) ?? []);
  const answer = { notification_id: notificationId, device_id: deviceId };
  if (found !== undefined) {
    return { ...answer, outcome: found.kind, reason: found.reason, at: new Date(found.atMs).toISOString() };
  }
  // Slices cover every id there can be: where outcomes were recorded and the slice is gone, it was pruned.
  if (row.slice_state === null && row.has_outcomes && !row.failed_whole) {
    throw new ApiError('not_found', {
      message:
        'The outcomes of this notification are no longer kept by device, as it ended long ago; its counters are.',
    });
  }
  // A finished slice knows every device it was for; before that, the audience says who is to come.
  const targeted =
    row.slice_state !== 'done' &&
    (await matchesDevice(db, {
      appId,
      deviceId,
      filters: filtersOfAudience(row.filters),
      now: row.started_at ?? key.now,
    }));
  if (!targeted) return { ...answer, outcome: 'not_targeted', reason: null, at: null };
  if (!row.failed_whole) return { ...answer, outcome: 'pending', reason: null, at: null };
  // No outcome was stored: whoever is in the audience now is taken for one of those that it was to reach.
  return { ...answer, outcome: 'rejected', reason: row.reason, at: row.ended_at?.toISOString() ?? null };
}
