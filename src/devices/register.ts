/**
 * Registers a device: a push token that the app has never had makes one, and one that it has or had updates its device.
 * So does a new token with the id or the token that the app had before.
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
 * The update merges as `updateDevice` does. Which device it is, is said by the first of these that leads to one: the
 * `id`, the push token (also one that was retired), `previous_push_token` (the same). A device that had another token
 * gets this one, and a device that has it loses it: who presents a token holds it. An `id` that the app does not have
 * leads nowhere: it is of before a reinstallation of the server, or of another app.
 * @param addressLocation of the caller, where that is the device: of these only what the app does not tell is to be there
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
    saidId: idFrom(registration.id),
    pushToken,
    tokenHash: tokenKey.hash(pushToken),
    previous:
      typeof previous === 'string' ? { pushToken: previous, tokenHash: tokenKey.hash(previous) } : undefined,
    change: { ...toColumns(registration, pushToken, now), addressLocation },
    now,
  };
  const { saidId } = registering;
  const newId = randomUUID();
  const row =
    (await registerAtOnce(db, registering, newId)) ??
    (await retryOnConflict(db, async (trx) => {
      const found = await findDevice(trx, appId, registering);
      if (saidId !== undefined && found?.id !== saidId && (await isErased(trx, appId, saidId))) {
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

function idFrom(said: unknown): string | undefined {
  return typeof said === 'string' && isUuid(said) ? said.toLowerCase() : undefined;
}

/** As nearly every registration goes, by one statement. @returns undefined where it takes more */
async function registerAtOnce(
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

/** Nothing leads to a device. */
async function insertNew(
  trx: Transaction<Database>,
  registering: Registering,
  newId: string,
): Promise<DeviceRow> {
  const row = await upsertDevice(trx, upsertOf({ ...registering, saidId: undefined }, newId));
  if (row === undefined) throw new Conflict();
  return row;
}

function upsertOf(
  { appId, platform, saidId, pushToken, tokenHash, change, now }: Registering,
  newId: string,
) {
  const key = { app_id: appId, id: newId, created_at: now };
  return { key, platform, pushToken, tokenHash, saidId, change };
}
