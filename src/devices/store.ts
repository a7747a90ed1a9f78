/**
 * The statements on `devices` and `erased_devices`, except those that change push tokens (`register-store.ts`,
 * `tokens/`). Statements that lock several devices lock them in id order, so that two calls on the same devices do
 * not deadlock.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, DevicesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX, type CustomChange } from './custom-attributes.ts';
import { columnsOfKnownDevice, type LocationChange } from './address/location-from-address.ts';

export type DeviceRow = Selectable<DevicesTable>;
export type TokenState = Pick<DeviceRow, 'id' | 'platform' | 'push_token' | 'development'>;

/** New values of columns (other columns stay), and changes of custom attributes (null removes all). */
export interface DeviceChange {
  columns: Omit<Updateable<DevicesTable>, 'app_id' | 'id' | 'custom'> & { registered_at: Date };
  custom: CustomChange | null | undefined;
  /** From the caller's IP address; does not replace values that were set. */
  addressLocation?: LocationChange | undefined;
}

/** @returns undefined if the device does not exist or would have too many custom attributes */
export function updateDeviceRow(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { columns, custom, addressLocation = {} }: DeviceChange,
): Promise<DeviceRow | undefined> {
  const merged = mergedCustom(custom);
  return db
    .updateTable('devices')
    .set({ ...columns, ...columnsOfKnownDevice(addressLocation), custom: merged })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where(withinLimit(merged))
    .returningAll()
    .executeTakeFirst();
}

/** @returns the number of changed devices; a device that would have too many custom attributes is left unchanged */
export async function updateCustom(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
  custom: CustomChange,
  registeredAt: Date,
): Promise<number> {
  const merged = mergedCustom(custom);
  const { numUpdatedRows } = await db
    .updateTable('devices')
    .set({ custom: merged, registered_at: registeredAt })
    .where('app_id', '=', appId)
    .where('id', '=', anyOf(ids))
    .where(withinLimit(merged))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Locks a user's devices until the transaction ends: against any change, or (`share`) only against erasure. */
export async function lockDevicesOfUser(
  db: Kysely<Database>,
  appId: string,
  userId: string,
  { strength, limit }: { strength: 'update' | 'share'; limit: number },
): Promise<string[]> {
  const devices = db
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(limit);
  const rows = await (strength === 'update' ? devices.forUpdate() : devices.forKeyShare()).execute();
  return rows.map((row) => row.id);
}

/** @param device an id that is no UUID makes Postgres fail. @returns undefined if the app has no such device */
export async function readUserOf(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
): Promise<Pick<DeviceRow, 'user_id' | 'user_email'> | undefined> {
  return db
    .selectFrom('devices')
    .select(['user_id', 'user_email'])
    .where('app_id', '=', appId)
    .where('id', '=', deviceId)
    .executeTakeFirst();
}

/** Keeps the device from being erased until the transaction ends. */
export async function lockAgainstErasure(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads the columns that an update is checked against, without locking the device. */
export async function readBeforeUpdate(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<(TokenState & Pick<DeviceRow, 'push_token_type' | 'locale' | 'time_zone'>) | undefined> {
  return db
    .selectFrom('devices')
    .select(['id', 'platform', 'push_token', 'push_token_type', 'development', 'locale', 'time_zone'])
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function readDeviceRows(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<DeviceRow[]> {
  return db
    .selectFrom('devices')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', anyOf(ids))
    .execute();
}

/** @returns the approximate length, in bytes of JSON, of each device's custom attributes and events */
export async function readDeviceBytes(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; bytes: number }>`
    select d.id, (octet_length(d.custom::text) + (
      select coalesce(sum(octet_length(e.name) + 120), 0) from device_events as e
      where e.app_id = d.app_id and e.device_id = d.id
    ))::float8 as bytes
    from devices as d
    where d.app_id = ${appId} and d.id = ${anyOf(ids)}`.execute(db);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** Deletes the device and its events. @returns whether it existed */
export async function deleteDevice(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('devices')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function insertTombstone(
  db: Kysely<Database>,
  appId: string,
  id: string,
  erasedAt: Date,
): Promise<void> {
  await db.insertInto('erased_devices').values({ app_id: appId, id, erased_at: erasedAt }).execute();
}

export async function isErased(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('erased_devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Binds all ids as one parameter, an array. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`;
}

/** The custom attributes of a row after the change, as SQL in which `devices` is the row before it. */
export function mergedCustom(custom: DeviceChange['custom']): RawBuilder<string> {
  if (custom === null) return sql`'{}'::jsonb`;
  if (custom === undefined) return sql`devices.custom`;
  const removed = Object.keys(custom).filter((name) => custom[name] === null);
  return sql`(devices.custom || ${stringifyJson(attributesSet(custom))}::jsonb) - ${removed}::text[]`;
}

export function withinLimit(merged: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(select count(*) from jsonb_object_keys(${merged})) <= ${CUSTOM_ATTRIBUTES_MAX}`;
}
