/** Apple's own ids of pushes to development devices. Apple's Push Notifications Console finds a push by this id. */
import { type Kysely, sql } from 'kysely';
import { listParameter } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../slice-store.ts';

/** An accepted push to a development device. */
export interface UniqueId {
  deviceId: string;
  uniqueId: string;
}

/** Stores them; a repeated push replaces the id of the earlier push. */
export async function storeUniqueIds(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  ids: readonly UniqueId[],
): Promise<void> {
  const deviceIds = ids.map(({ deviceId }) => deviceId);
  const uniqueIds = ids.map(({ uniqueId }) => uniqueId);
  await sql`
    insert into apns_unique_ids (app_id, notification_id, device_id, unique_id)
    select ${appId}::uuid, ${notificationId}::uuid, device_id, unique_id
    from unnest(${listParameter(deviceIds, 'uuid')}, ${listParameter(uniqueIds, 'uuid')}) as new (device_id, unique_id)
    on conflict (app_id, notification_id, device_id) do update set unique_id = excluded.unique_id`.execute(
    db,
  );
}
