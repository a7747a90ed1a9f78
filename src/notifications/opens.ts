/** Records that a device opened a notification. */
import type { Kysely } from 'kysely';
import { isUuid } from '../uuid.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';

/**
 * A device counts once, at its first open; a repeat changes nothing. Nor does an open of a notification that
 * has been pruned: nobody knows any more whether it is a repeat.
 * @throws {ApiError} `not_found` where the app lacks the notification or the device
 */
export async function recordOpen(
  db: Kysely<Database>,
  appId: string,
  notificationId: string,
  deviceId: string,
  clock: Clock,
): Promise<void> {
  if (!isUuid(notificationId) || !isUuid(deviceId)) throw new ApiError('not_found');
  const known = await db
    .selectFrom('notifications')
    .innerJoin('devices', 'devices.app_id', 'notifications.app_id')
    .select('notifications.pruned_at')
    .where('notifications.app_id', '=', appId)
    .where('notifications.id', '=', notificationId)
    .where('devices.id', '=', deviceId)
    .executeTakeFirst();
  if (known === undefined) throw new ApiError('not_found');
  if (known.pruned_at !== null) return;
  await db
    .insertInto('opens')
    .values({ app_id: appId, notification_id: notificationId, device_id: deviceId, opened_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
