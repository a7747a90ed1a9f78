/** Erases a device: all its data is deleted, and its id is kept as a tombstone. */
import type { Kysely } from 'kysely';
import type { Author } from '../audit/author.ts';
import { recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { assertDeviceId, noSuchDevice } from './device-errors.ts';
import { deleteDevice, insertTombstone, isErased } from './store.ts';
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
    if (await deleteDevice(trx, appId, id)) {
      await insertTombstone(trx, appId, id, clock());
      await recordChange(trx, author, { appId, action: 'device.erased', objectId: id }, clock);
    } else if (!(await isErased(trx, appId, id))) {
      throw noSuchDevice();
    }
  });
}
