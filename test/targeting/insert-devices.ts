import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../../src/db/tables.ts';
import { stringifyJson } from '../../src/json/lossless.ts';
import { insertApp } from '../support/database.ts';
import type { NaiveDevice } from './naive-evaluator.ts';

/** Whether the device with this index in `insertDevices` has a push token. */
export function hasToken(index: number): boolean {
  return index % 4 !== 3;
}

/** Stores devices and their events directly, in two statements. */
export async function insertDevices(
  db: Kysely<Database>,
  appId: string,
  devices: readonly NaiveDevice[],
): Promise<void> {
  const rows = devices.map((device, index) => ({
    app_id: appId,
    id: device.id,
    platform: index % 2 === 0 ? ('iOS' as const) : ('Android' as const),
    push_token: hasToken(index) ? `token of ${device.id}` : null,
    token_registered_at: new Date(device.dates.registered_at),
    created_at: new Date(device.dates.created_at),
    registered_at: new Date(device.dates.registered_at),
    badge: device.badge,
    development: device.development,
    tags: [...device.tags],
    latitude: device.place?.latitude ?? null,
    longitude: device.place?.longitude ?? null,
    sdk_latitude: device.gps?.latitude ?? null,
    sdk_longitude: device.gps?.longitude ?? null,
    custom: stringifyJson(device.custom),
    ...device.text,
  }));
  await db.insertInto('devices').values(rows).execute();
  const events = devices.flatMap((device) =>
    Object.entries(device.events).map(([name, { count, lastMs }]) => ({
      app_id: appId,
      device_id: device.id,
      name,
      count,
      first_happened_at: new Date(lastMs),
      last_happened_at: new Date(lastMs),
    })),
  );
  if (events.length > 0) await db.insertInto('device_events').values(events).execute();
}

/** A new app with a device for each of these lists of attributes. @returns the ids, in their order */
export async function appWith(
  db: Kysely<Database>,
  ...devices: readonly Partial<NaiveDevice>[]
): Promise<{ appId: string; ids: string[] }> {
  const { id: appId } = await insertApp(db);
  const made = devices.map((parts) => deviceWith(randomUUID(), parts));
  await insertDevices(db, appId, made);
  return { appId, ids: made.map(({ id }) => id) };
}

/** A device with the given attributes and no others. */
export function deviceWith(id: string, parts: Partial<NaiveDevice> = {}): NaiveDevice {
  return {
    id,
    text: {},
    dates: { created_at: 0, registered_at: 0 },
    badge: null,
    development: false,
    tags: [],
    place: null,
    gps: null,
    custom: {},
    events: {},
    ...parts,
  };
}
