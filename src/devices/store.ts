/**
 * The statements on `devices` and `erased_devices`, except those that register devices (`register-device.ts`,
 * `registrations/`) and change push tokens (`tokens/`). Statements that lock several devices lock them in id
 * order, so that two calls on the same devices do not deadlock.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, DevicesTable } from '../db/tables.ts';
import { stringifyJson } from '../json/lossless.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX, type CustomChange } from './custom-attributes.ts';

export type DeviceRow = Selectable<DevicesTable>;

/** Selects one device. An id that is no UUID makes Postgres fail. */
export function selectDevice(db: Kysely<Database>, appId: string, id: string) {
  return db.selectFrom('devices').where('app_id', '=', appId).where('id', '=', id);
}

/** New values of columns (other columns stay), and changes of custom attributes (null removes all). */
export interface DeviceChange {
  columns: Omit<Updateable<DevicesTable>, 'app_id' | 'id' | 'custom'> & { registered_at: Date };
  custom: CustomChange | null | undefined;
}

/** @returns undefined if the device does not exist or would have too many custom attributes */
export function updateDeviceRow(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { columns, custom }: DeviceChange,
): Promise<DeviceRow | undefined> {
  const merged = mergedCustom(custom);
  return db
    .updateTable('devices')
    .set({ ...columns, custom: merged })
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

/** @returns undefined if the app has no such device */
export async function readUserOf(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
): Promise<Pick<DeviceRow, 'user_id' | 'user_email'> | undefined> {
  return selectDevice(db, appId, deviceId).select(['user_id', 'user_email']).executeTakeFirst();
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

export async function isErased(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  return (await readErasure(db, appId, id)) !== undefined;
}

/** @returns when the device with this id was erased; undefined if it was not erased */
export async function readErasure(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('erased_devices')
    .select('erased_at')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.erased_at;
}

/** Binds all ids as one parameter, an array. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`;
}

/** The custom attributes of a row after the change, as SQL in which `devices` is the row before it. */
function mergedCustom(custom: DeviceChange['custom']): RawBuilder<string> {
  if (custom === null) return sql`'{}'::jsonb`;
  if (custom === undefined) return sql`devices.custom`;
  const removed = Object.keys(custom).filter((name) => custom[name] === null);
  return sql`(devices.custom || ${stringifyJson(attributesSet(custom))}::jsonb) - ${removed}::text[]`;
}

function withinLimit(merged: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(select count(*) from jsonb_object_keys(${merged})) <= ${CUSTOM_ATTRIBUTES_MAX}`;
}
