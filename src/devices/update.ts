/** Updates a device by its id: what is named changes, what is null is cleared, the rest stays. */
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { type FaultDetail, invalidRequest } from '../errors.ts';
import { changeFrom } from './change.ts';
import { type Device, deviceFrom } from './device.ts';
import { type DeviceUpdate, pushTokens } from './device-schema.ts';
import { readEventRows } from './event-store.ts';
import { assertDeviceId, missingDevice, tooManyAttributes } from './refusals.ts';
import { type DeviceRow, readPlatform, releasePushToken, updateDeviceRow } from './store.ts';
import { transact } from './transact.ts';

/**
 * A push token that another device of the app has is taken from it: who presents a token holds it, and a
 * token belongs to one device at a time.
 * @throws {ApiError} `not_found`, `device_erased`, or `invalid_request` for a token that is none of the
 * device's platform, another platform, or too many custom attributes
 */
export async function updateDevice(
  db: Kysely<Database>,
  appId: string,
  id: string,
  update: DeviceUpdate,
  clock: Clock,
): Promise<Device> {
  assertDeviceId(id);
  const platform = await readPlatform(db, appId, id);
  if (platform === undefined) throw await missingDevice(db, appId, id);
  const pushToken = fittingToken(update, platform);
  return transact(db, async (trx) => {
    if (typeof pushToken === 'string') await releasePushToken(trx, appId, id, pushToken);
    const row = await updateDeviceRow(trx, appId, id, changeFrom(update, pushToken, clock()));
    if (row !== undefined) return deviceFrom(row, await readEventRows(trx, appId, [row.id]));
    const isStillThere = (await readPlatform(trx, appId, id)) !== undefined;
    throw isStillThere ? tooManyAttributes('device.custom') : await missingDevice(trx, appId, id);
  });
}

/** The push token as it is stored. @throws {ApiError} with both faults at once */
function fittingToken(update: DeviceUpdate, platform: DeviceRow['platform']): string | null | undefined {
  const faults: FaultDetail[] = [];
  if (update.platform !== undefined && update.platform !== platform) {
    faults.push({ path: 'device.platform', message: `of this device is ${platform} and cannot change` });
  }
  const token = pushTokens[platform].nullish().safeParse(update.push_token);
  for (const issue of token.error?.issues ?? []) {
    faults.push({ path: 'device.push_token', message: issue.message });
  }
  if (!token.success || faults.length > 0) throw invalidRequest(faults);
  return token.data;
}
