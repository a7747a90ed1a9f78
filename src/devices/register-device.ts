/**
 * Registers a device. A push token that is new to the app creates a device; a token that the app has or had updates its
 * device. So does a new token that comes with the device's id or its previous token.
 */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { TokenKey, TokenKeys } from '../apps/token-keys.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, type FaultDetail, invalidRequest } from '../api/errors.ts';
import { isUuid } from '../uuid.ts';
import { stringifyJson } from '../json/lossless.ts';
import { attributesSet } from './custom-attributes.ts';
import { toColumns } from './to-columns.ts';
import { type Device, deviceFrom } from './device.ts';
import type { DeviceRegistration } from './device-schema.ts';
import { readEventRows } from './events/record-events.ts';
import {
  columnsFromAddress,
  columnsOfNewDevice,
  type LocationChange,
} from './address/location-from-address.ts';
import { platformCannotChange, tooManyAttributes } from './device-errors.ts';
import { type DeviceRow, isErased, readDeviceRows, updateDeviceRow } from './store.ts';
import { takePushToken } from './tokens/token-store.ts';
import { Conflict, retryOnConflict } from './retry-on-conflict.ts';

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
  const { platform, push_token: pushToken, previous_push_token: previous = null } = registration;
  const now = clock();
  const hintedId = idFrom(registration.id);
  const { columns, custom } = toColumns(registration, pushToken, now, isUserVerified);
  const key = { app_id: appId, id: randomUUID(), created_at: now, platform };
  let ignored: readonly FaultDetail[] = [];
  const row = await retryOnConflict(db, async (trx) => {
    const found = await findDevice(trx, tokenKey, { appId, hintedId, pushToken, previous });
    if (hintedId !== undefined && found?.id !== hintedId && (await isErased(trx, appId, hintedId))) {
      throw new ApiError('device_erased');
    }
    if (found === undefined) {
      return insertDevice(trx, tokenKey.hash(pushToken), {
        ...columns,
        ...columnsOfNewDevice(addressLocation),
        ...key,
        custom: stringifyJson(attributesSet(custom)),
      });
    }
    if (found.platform !== platform) {
      throw invalidRequest([platformCannotChange('device.platform', found.platform)]);
    }
    await takePushToken(trx, { appId, deviceId: found.id, pushToken, tokenKey, now });
    const [locked] = await readDeviceRows(trx, appId, [found.id]);
    if (locked === undefined) throw new Conflict();
    const change = { columns: { ...columns, ...columnsFromAddress(locked, addressLocation) }, custom };
    ignored = [];
    const updated = await updateDeviceRow(trx, appId, found.id, change);
    if (updated !== undefined) return updated;
    ignored = [tooManyAttributes('device.custom')];
    const other = await updateDeviceRow(trx, appId, found.id, { ...change, custom: undefined });
    if (other === undefined) throw new Conflict();
    return other;
  });
  const created = row.id === key.id;
  const events = created ? [] : await readEventRows(db, appId, [row.id]);
  return { device: deviceFrom(row, events), created, ...(ignored.length > 0 && { ignored }) };
}

/** @returns the id in its stored form; undefined if none was sent, or text that no device has as its id */
export function idFrom(sent: unknown): string | undefined {
  return typeof sent === 'string' && isUuid(sent) ? sent.toLowerCase() : undefined;
}

/**
 * Breaks no unique index, because Postgres would log the token.
 * @throws a conflict if another call has registered the token, or a gateway's report has retired it, since the search for
 *   its device
 */
async function insertDevice(db: Kysely<Database>, tokenHash: Buffer, columns: object): Promise<DeviceRow> {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const { rows } = await sql<DeviceRow>`
    insert into devices (${sql.join(given.map(([name]) => sql.ref(name)))})
    values (${sql.join(given.map(([, value]) => value))})
    on conflict (app_id, push_token) do nothing
    returning devices.*, refuse_retired_token(app_id, ${tokenHash})`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Conflict();
  return row;
}

type FoundDevice = Pick<DeviceRow, 'id' | 'platform'>;

/** Finds the device by its id, otherwise by its token, otherwise by its previous token. Locks nothing. */
async function findDevice(
  db: Kysely<Database>,
  tokenKey: TokenKey,
  hints: { appId: string; hintedId: string | undefined; pushToken: string; previous: string | null },
): Promise<FoundDevice | undefined> {
  const { appId, hintedId, pushToken, previous } = hints;
  const { rows } = await sql<FoundDevice>`
    with lead as (
      select ${hintedId ?? null}::uuid as id, 1 as rank
      union all select id, 2 from devices where app_id = ${appId} and push_token = ${pushToken}
      union all select device_id, 3 from retired_tokens where app_id = ${appId} and token_hash = ${tokenKey.hash(pushToken)}
      union all select id, 4 from devices where app_id = ${appId} and push_token = ${previous}
      union all
      select device_id, 5 from retired_tokens
      where app_id = ${appId} and token_hash = ${previous === null ? null : tokenKey.hash(previous)}
    )
    select device.id, device.platform
    from lead join devices as device on device.app_id = ${appId} and device.id = lead.id
    order by lead.rank limit 1`.execute(db);
  return rows[0];
}
