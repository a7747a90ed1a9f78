/** Reads devices for replies of the API. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { type Device, deviceFrom } from './device.ts';
import { readEventRows } from './events/record-events.ts';
import { assertDeviceId, noSuchDevice } from './device-errors.ts';
import { readDeviceBytes, readDeviceRows } from './store.ts';

/** @throws {ApiError} `not_found`, also for an erased device */
export async function readDevice(db: Kysely<Database>, appId: string, id: string): Promise<Device> {
  assertDeviceId(id);
  const [device] = await readDevices(db, appId, [id]);
  if (device === undefined) throw noSuchDevice();
  return device;
}

/** Of the parts of devices that may be long. Custom attributes of a device may have a megabyte, as may the names of its events. */
const REPLY_BYTES_MAX = 2_000_000;

/**
 * @param ids UUIDs in lower case
 * @returns as many of the first as fit into one reply; at least one
 */
export async function firstThatFit(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const bytes = await readDeviceBytes(db, appId, ids);
  let sum = 0;
  const end = ids.findIndex((id, index) => {
    sum += bytes.get(id) ?? 0;
    return index > 0 && sum > REPLY_BYTES_MAX;
  });
  return end === -1 ? ids : ids.slice(0, end);
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
