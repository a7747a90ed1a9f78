/** Records that a device opened a notification. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { noSuchDevice } from '../../devices/refusals.ts';
import { noSuchNotification } from '../../notifications/read.ts';
import { isUuid } from '../../uuid.ts';
import { type DeliveryKey, findDelivery, type FoundDelivery, isInAudience } from './device-outcome.ts';

/**
 * Counts a device that the push was sent to, once, at its first open. Any other open of a device of the app changes
 * nothing and is answered alike: the key that reports opens is in every copy of the app, and whoever holds it must
 * learn nothing of whom a notification was for. Nor does an open of a notification that has been pruned count: nobody
 * knows any more whom it was sent to.
 * @throws {ApiError} `not_found` where the app lacks the notification or the device
 */
export async function recordOpen(
  db: Kysely<Database>,
  appId: string,
  notificationId: string,
  deviceId: string,
  clock: Clock,
): Promise<void> {
  if (!isUuid(notificationId)) throw noSuchNotification();
  if (!isUuid(deviceId)) throw noSuchDevice();
  const key = { appId, notificationId, deviceId: deviceId.toLowerCase(), now: clock() };
  const delivery = await findDelivery(db, key);
  if (delivery === undefined) throw noSuchNotification();
  if (!delivery.hasDevice) throw noSuchDevice();
  if (delivery.prunedAt !== null) return;
  if (!(await wasSent(db, key, delivery))) return;
  await db
    .insertInto('opens')
    .values({ app_id: appId, notification_id: notificationId, device_id: deviceId, opened_at: key.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** An ambiguous push may have arrived; its open shows that it has. */
async function wasSent(db: Kysely<Database>, key: DeliveryKey, delivery: FoundDelivery): Promise<boolean> {
  const { outcome, sliceState } = delivery;
  if (outcome !== undefined) return outcome.kind === 'accepted' || outcome.kind === 'ambiguous';
  // A phone may be quicker than the record of what it was sent.
  return sliceState === 'leased' && (await isInAudience(db, key, delivery));
}
