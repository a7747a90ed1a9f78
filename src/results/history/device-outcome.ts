/** Answers "did device D get notification N?" from the saved outcome or, before there is one, from the audience. */
import type { Kysely } from 'kysely';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import { matchesDevice } from '../../targeting/matching-devices.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { readableReason } from '../../gateways/reason.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { type DeliveryKey, findDelivery, type FoundDelivery } from './device-outcome-store.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import { readUniqueId } from './unique-id.ts';

export interface DeviceDelivery {
  notification_id: string;
  device_id: string;
  outcome: OutcomeKind | 'pending' | 'not_targeted';
  /** The gateway's own reason, or a sentence if the push was not answered. */
  reason: string | null;
  /** The variant of the device, or `hold_out`; null if there is no outcome, or the notification is no A/B test. */
  variant: string | null;
  /** ISO 8601 with milliseconds; null while there is no outcome. */
  at: string | null;
  /** Apple's id of an accepted push to a development device. */
  apns_unique_id: string | null;
}

/**
 * @throws {ApiError} `not_found` if the app has no such notification, or if its per-device outcomes have been pruned,
 *   because `not_targeted` would then be a guess
 */
export async function readDelivery(db: Kysely<Database>, key: DeliveryKey): Promise<DeviceDelivery> {
  const delivery = await findDelivery(db, key);
  if (delivery === undefined) throw noSuchNotification();
  const { outcome, sliceState, hasOutcomes, failedWhole } = delivery;
  const answer = {
    notification_id: key.notificationId,
    device_id: key.deviceId,
    variant: outcome?.variant ?? null,
    apns_unique_id: null,
  };
  if (outcome !== undefined) {
    const { kind, reason, atMs } = outcome;
    const text = reason === null ? null : readableReason(reason);
    const uniqueId = kind === 'accepted' ? await readUniqueId(db, key) : null;
    const at = new Date(atMs).toISOString();
    return { ...answer, outcome: kind, reason: text, at, apns_unique_id: uniqueId };
  }
  // Slices cover all ids: if outcomes were saved and the slice does not exist, it has been pruned.
  if (sliceState === null && hasOutcomes && !failedWhole) {
    throw new ApiError('not_found', {
      message:
        'The per-device outcomes of this notification are no longer kept, because it ended long ago; its counters remain.',
    });
  }
  // A finished slice has an outcome for each of its devices, unless it was given up. Before that, the audience says
  // which devices will get one.
  const isComplete = sliceState === 'done' && !failedWhole;
  const targeted = !isComplete && (await isInAudience(db, key, delivery));
  if (!targeted) return { ...answer, outcome: 'not_targeted', reason: null, at: null };
  if (!failedWhole) return { ...answer, outcome: 'pending', reason: null, at: null };
  // No outcomes were saved: a device that is in the audience now counts as targeted.
  const { reason, endedAt } = delivery;
  return { ...answer, outcome: 'rejected', reason, at: endedAt?.toISOString() ?? null };
}

/** Whether the device is in the audience now; relative dates are evaluated at the start of the notification. */
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
