/** Records that a device opened a notification. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { noSuchDevice } from '../../devices/device-errors.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { isUuid } from '../../uuid.ts';
import { isInAudience } from './device-outcome.ts';
import { type DeliveryKey, findDelivery, type FoundDelivery } from './device-outcome-store.ts';

/**
 * Counts the first open by each device that the notification was sent to. Any other open by a device of the app changes
 * nothing and gets the same answer. The key that reports opens is in every copy of the app, and its holder must not
 * learn which devices a notification was for. Opens of a pruned notification do not count, because its devices are
 * unknown.
 * @throws {ApiError} `not_found` if the app has no such notification or no such device
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
  const variant = delivery.outcome?.variant;
  await db
    .insertInto('opens')
    .values({
      app_id: appId,
      notification_id: notificationId,
      device_id: deviceId,
      opened_at: key.now,
      ...(variant !== undefined && { variant }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** An ambiguous push may have arrived; the open shows that it did. */
async function wasSent(db: Kysely<Database>, key: DeliveryKey, delivery: FoundDelivery): Promise<boolean> {
  const { outcome, sliceState } = delivery;
  if (outcome !== undefined) return outcome.kind === 'accepted' || outcome.kind === 'ambiguous';
  // A device may report the open before the outcome of its push is saved.
  return sliceState === 'leased' && (await isInAudience(db, key, delivery));
}
