/**
 * Registers a device. A push token that is new to the app creates a device; a token that the app has or had updates its
 * device. So does a new token that comes with the device's id or its previous token.
 */
import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { TokenKeys } from '../apps/token-keys.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, type FaultDetail } from '../api/errors.ts';
import { isUuid } from '../uuid.ts';
import { toColumns } from './to-columns.ts';
import { type Device, deviceFrom } from './device.ts';
import type { DeviceRegistration } from './device-schema.ts';
import { readEventRows } from './events/event-store.ts';
import type { LocationChange } from './address/location-from-address.ts';
import { otherPlatform, tooManyAttributesFault } from './device-errors.ts';
import { findDevice, type Hints, upsertDevice } from './register-store.ts';
import { type DeviceChange, type DeviceRow, isErased, updateDeviceRow } from './store.ts';
import { takePushToken } from './tokens/token-store.ts';
import { isConflict, Conflict, retryOnConflict } from './retry-on-conflict.ts';

/** The device as it is after the registration. */
export interface Registered {
  device: Device;
  created: boolean;
  /**
   * Values that were left out of the registration because the device already has too many or because they do not fit
   * it.
   */
  ignored?: readonly FaultDetail[];
}

/** What is known of a registration besides its body. */
export interface KnownOfCall {
  /** From the caller's IP address, if the caller is the device; only attributes that the registration leaves out. */
  addressLocation?: LocationChange | undefined;
  /** Whether somebody vouches for the user that it names. */
  isUserVerified?: boolean;
}

interface Registering extends Hints {
  appId: string;
  platform: DeviceRow['platform'];
  change: DeviceChange;
  now: Date;
}

/**
 * The device is looked up by `id`, then by push token, then by `previous_push_token`; both tokens may be retired ones.
 * A device that is found is updated as by `updateDevice`. It gets the presented token, and any other device loses that
 * token. An `id` that the app does not have is ignored: it is from before a reinstallation of the server, or from
 * another app.
 * A device that would have too many custom attributes keeps those that it has.
 * @throws {ApiError} `device_erased` if the device with that `id` was erased; `invalid_request` if the device has
 *   another platform
 */
export async function registerDevice(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  registration: DeviceRegistration,
  clock: Clock,
  { addressLocation, isUserVerified }: KnownOfCall = {},
): Promise<Registered> {
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
    change: { ...toColumns(registration, pushToken, now, isUserVerified), addressLocation },
    now,
  };
  const { hintedId } = registering;
  const newId = randomUUID();
  let ignored: readonly FaultDetail[] = [];
  const row =
    (await registerInOneStatement(db, registering, newId)) ??
    (await retryOnConflict(db, async (trx) => {
      const found = await findDevice(trx, appId, registering);
      if (hintedId !== undefined && found?.id !== hintedId && (await isErased(trx, appId, hintedId))) {
        throw new ApiError('device_erased');
      }
      if (found === undefined) return insertNew(trx, registering, newId);
      if (found.platform !== platform) throw otherPlatform('device.platform', found.platform);
      await takePushToken(trx, { appId, deviceId: found.id, pushToken, tokenKey, now });
      ignored = [];
      const updated = await updateDeviceRow(trx, appId, found.id, registering.change);
      if (updated !== undefined) return updated;
      ignored = [tooManyAttributesFault('device.custom')];
      const other = await updateDeviceRow(trx, appId, found.id, { ...registering.change, custom: undefined });
      if (other === undefined) throw new Conflict();
      return other;
    }));
  const created = row.id === newId;
  const events = created ? [] : await readEventRows(db, appId, [row.id]);
  return { device: deviceFrom(row, events), created, ...(ignored.length > 0 && { ignored }) };
}

/** @returns the id in its stored form; undefined if none was sent, or text that no device has as its id */
export function idFrom(sent: unknown): string | undefined {
  return typeof sent === 'string' && isUuid(sent) ? sent.toLowerCase() : undefined;
}

/** Tries one statement, which is enough for nearly every registration. @returns undefined if a transaction is needed */
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

/** Inserts a device if the search has found none. */
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
