/**
 * Registers a device: a push token that is new to the app inserts a device, and one that the app has or had updates its
 * device. A new token with the device's id or previous token updates that device too.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { TokenKeys } from '../apps/token-keys.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { isUuid } from '../uuid.ts';
import { toColumns } from './to-columns.ts';
import { type Device, deviceFrom } from './device.ts';
import type { DeviceRegistration } from './device-schema.ts';
import { readEventRows } from './events/event-store.ts';
import type { AddressLocation } from './geoip.ts';
import { otherPlatform, tooManyAttributes } from './device-errors.ts';
import { findDevice, type Hints, upsertDevice } from './register-store.ts';
import { type DeviceChange, type DeviceRow, isErased, updateDeviceRow } from './store.ts';
import { claimPushToken } from './tokens/token-store.ts';
import { isConflict, Conflict, retryOnConflict } from './retry-on-conflict.ts';

interface Registering extends Hints {
  appId: string;
  platform: DeviceRow['platform'];
  change: DeviceChange;
  now: Date;
}

/**
 * The update merges as `updateDevice` does. The device is the first one found by: the `id`, the push token (also a
 * retired one), `previous_push_token` (the same). It gets the presented token, and any other device loses that token. An
 * `id` that the app does not have is ignored: it is from before a reinstallation of the server, or from another app.
 * @param addressLocation from the caller's IP address where the caller is the device; only attributes that the
 *   registration leaves out
 * @throws {ApiError} `device_erased` where the `id` is that of an erased device; `invalid_request` where the device is of
 *   another platform, or would end with too many custom attributes
 */
export async function registerDevice(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  registration: DeviceRegistration,
  clock: Clock,
  addressLocation?: AddressLocation,
): Promise<{ device: Device; created: boolean }> {
  const tokenKey = await tokenKeys.of(appId);
  const { platform, push_token: pushToken, previous_push_token: previous } = registration;
  const now = clock();
  const registering: Registering = {
    appId,
    platform,
    hintedId: idFrom(registration.id),
    pushToken,
    tokenHash: tokenKey.hash(pushToken),
    previous:
      typeof previous === 'string' ? { pushToken: previous, tokenHash: tokenKey.hash(previous) } : undefined,
    change: { ...toColumns(registration, pushToken, now), addressLocation },
    now,
  };
  const { hintedId } = registering;
  const newId = randomUUID();
  const row =
    (await registerInOneStatement(db, registering, newId)) ??
    (await retryOnConflict(db, async (trx) => {
      const found = await findDevice(trx, appId, registering);
      if (hintedId !== undefined && found?.id !== hintedId && (await isErased(trx, appId, hintedId))) {
        throw new ApiError('device_erased');
      }
      if (found === undefined) return insertNew(trx, registering, newId);
      if (found.platform !== platform) throw otherPlatform('device.platform', found.platform);
      await claimPushToken(trx, { appId, deviceId: found.id, pushToken, tokenKey, now });
      const updated = await updateDeviceRow(trx, appId, found.id, registering.change);
      if (updated !== undefined) return updated;
      const isStillThere = (await findDevice(trx, appId, registering))?.id === found.id;
      throw isStillThere ? tooManyAttributes('device.custom') : new Conflict();
    }));
  const created = row.id === newId;
  const events = created ? [] : await readEventRows(db, appId, [row.id]);
  return { device: deviceFrom(row, events), created };
}

function idFrom(sent: unknown): string | undefined {
  return typeof sent === 'string' && isUuid(sent) ? sent.toLowerCase() : undefined;
}

/** Registers by one statement, which is enough for nearly every registration. @returns undefined where it is not */
async function registerInOneStatement(
  db: Kysely<Database>,
  registering: Registering,
  newId: string,
): Promise<DeviceRow | undefined> {
  if (registering.previous !== undefined) return undefined;
  try {
    return await upsertDevice(db, upsertOf(registering, newId));
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

/** Inserts the device after none was found. */
async function insertNew(
  trx: Transaction<Database>,
  registering: Registering,
  newId: string,
): Promise<DeviceRow> {
  const row = await upsertDevice(trx, upsertOf({ ...registering, hintedId: undefined }, newId));
  if (row === undefined) throw new Conflict();
  return row;
}

function upsertOf(
  { appId, platform, hintedId, pushToken, tokenHash, change, now }: Registering,
  newId: string,
) {
  const key = { app_id: appId, id: newId, created_at: now };
  return { key, platform, pushToken, tokenHash, hintedId, change };
}
