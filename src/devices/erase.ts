/** Erases a device: all its data is deleted, and its id is kept as a tombstone. */
import type { Kysely } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { assertDeviceId, noSuchDevice } from './device-errors.ts';
import { isErased } from './store.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Afterwards an update or an event fails with `device_erased`, and a read with `not_found`. Erasing a device
 * again succeeds, so a caller that lost the first reply can repeat the call.
 * @param author for the audit log; undefined: no entry
 * @throws {ApiError} `not_found`
 */
export async function eraseDevice(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
  author?: Author,
): Promise<void> {
  assertDeviceId(id);
  await retryOnConflict(db, async (trx) => {
    const deleting = trx.deleteFrom('devices').where('app_id', '=', appId).where('id', '=', id);
    const { numDeletedRows } = await deleting.executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) {
      await trx.insertInto('erased_devices').values({ app_id: appId, id, erased_at: clock() }).execute();
      await recordChange(trx, author, { appId, action: 'device.erased', objectId: id }, clock);
    } else if (!(await isErased(trx, appId, id))) {
      throw noSuchDevice();
    }
  });
}
