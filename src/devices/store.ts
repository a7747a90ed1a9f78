/**
 * The statements on `devices` (but for `tokens.ts`) and `erased_devices`, one function each. Who locks several devices locks them
 * in the order of their ids, so that two calls over the same devices wait in a line and not in a circle.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, DevicesTable } from '../db/tables.ts';
import { stringifyJson } from '../json.ts';
import { attributesSet, CUSTOM_ATTRIBUTES_MAX, type CustomChange } from './custom-attributes.ts';

export type DeviceRow = Selectable<DevicesTable>;

/** Columns as they shall be (those left out stay), and the custom attributes that change (null: all go). */
export interface Change {
  columns: Omit<Updateable<DevicesTable>, 'app_id' | 'id' | 'custom'> & { registered_at: Date };
  custom: CustomChange | null | undefined;
}

/**
 * Inserts a device, or merges into the one of the app that has the push token: one statement, so that any
 * number of calls with one token at once end with one device.
 * @param key of the device, if it becomes one
 * @returns undefined where the merge would leave too many custom attributes; then nothing has changed
 */
export function upsertDevice(
  db: Kysely<Database>,
  key: Pick<DeviceRow, 'app_id' | 'id' | 'created_at'>,
  platform: DeviceRow['platform'],
  { columns, custom }: Change,
): Promise<DeviceRow | undefined> {
  const merged = mergedCustom(custom);
  return db
    .insertInto('devices')
    .values({ ...columns, ...key, platform, custom: stringifyJson(attributesSet(custom)) })
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'push_token'])
        .doUpdateSet({ ...columns, platform, custom: merged })
        .where(withinLimit(merged)),
    )
    .returningAll()
    .executeTakeFirst();
}

/** @returns undefined where there is no such device, or the merge would leave too many custom attributes */
export function updateDeviceRow(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { columns, custom }: Change,
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

/** @returns how many were changed: fewer than asked for where one would have too many custom attributes */
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

/**
 * Takes the push token from the other device of the app that has it, if any, with both devices locked. Claims
 * of one token wait for each other first: else a token that moves on meanwhile would have to be taken from a
 * third device, out of the order of ids.
 */
export async function releasePushToken(
  db: Kysely<Database>,
  appId: string,
  id: string,
  pushToken: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${appId} ${pushToken}`}, 0))`.execute(db);
  await db
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where((eb) => eb.or([eb('id', '=', id), eb('push_token', '=', pushToken)]))
    .orderBy('id')
    .forUpdate()
    .execute();
  await db
    .updateTable('devices')
    .set({ push_token: null, token_registered_at: null })
    .where('app_id', '=', appId)
    .where('push_token', '=', pushToken)
    .where('id', '<>', id)
    .execute();
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

/** Keeps the device from being erased until the transaction ends. */
export async function holdDevice(db: Kysely<Database>, appId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function readPlatform(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<DeviceRow['platform'] | undefined> {
  const row = await db
    .selectFrom('devices')
    .select('platform')
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.platform;
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

/** Deletes the device, its events with it. @returns whether there was one */
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

/** One bound parameter for any number of ids. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`;
}

/** The custom attributes of a row after the change; `devices` is the row as it is. */
function mergedCustom(custom: Change['custom']): RawBuilder<string> {
  if (custom === null) return sql`'{}'::jsonb`;
  if (custom === undefined) return sql`devices.custom`;
  const removed = Object.keys(custom).filter((name) => custom[name] === null);
  return sql`(devices.custom || ${stringifyJson(attributesSet(custom))}::jsonb) - ${removed}::text[]`;
}

function withinLimit(merged: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(select count(*) from jsonb_object_keys(${merged})) <= ${CUSTOM_ATTRIBUTES_MAX}`;
}
