/** Apple's own id of a push to a development device. Apple's Push Notifications Console finds the push by it. */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { idText } from '../../api/reply.ts';
import type { DeliveryKey } from './device-outcome-store.ts';

/** The field in replies. */
export const apnsUniqueId = idText
  .nullable()
  .describe(
    'Apple’s id of the push; with it, Apple’s Push Notifications Console shows what became of ' +
      'the push. Only for development devices (Apple’s sandbox), after `accepted`; otherwise null.',
  );

/** @returns null if the push did not go to Apple's sandbox, or is too old */
export async function readUniqueId(
  db: Kysely<Database>,
  { appId, notificationId, deviceId }: DeliveryKey,
): Promise<string | null> {
  const row = await db
    .selectFrom('apns_unique_ids')
    .select('unique_id')
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  return row?.unique_id ?? null;
}
