/** Reads devices as the API returns them. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { type Device, deviceFrom } from './device.ts';
import { readEventRows } from './events/event-store.ts';
import { assertDeviceId, noSuchDevice } from './device-errors.ts';
import { readDeviceRows } from './store.ts';

/** @throws {ApiError} `not_found`, also for an erased device */
export async function readDevice(db: Kysely<Database>, appId: string, id: string): Promise<Device> {
  assertDeviceId(id);
  const [device] = await readDevices(db, appId, [id]);
  if (device === undefined) throw noSuchDevice();
  return device;
}

/**
 * @param ids UUIDs in lower case
 * @returns the devices that exist, in the order of `ids`
 */
export async function readDevices(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<Device[]> {
  const [rows, events] = await Promise.all([readDeviceRows(db, appId, ids), readEventRows(db, appId, ids)]);
  const eventsByDevice = Map.groupBy(events, (event) => event.device_id);
  const position = new Map(ids.map((id, index) => [id, index]));
  return rows
    .sort((left, right) => (position.get(left.id) ?? 0) - (position.get(right.id) ?? 0))
    .map((row) => deviceFrom(row, eventsByDevice.get(row.id) ?? []));
}
