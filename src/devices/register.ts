/** Registers a device: a push token that the app has not seen makes one, a known token updates its device. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { changeFrom } from './change.ts';
import { type Device, deviceFrom } from './device.ts';
import type { DeviceRegistration } from './device-schema.ts';
import { readEventRows } from './event-store.ts';
import { tooManyAttributes } from './refusals.ts';
import { upsertDevice } from './store.ts';

/**
 * The update merges as `updateDevice` does; only here may the platform change too, since whoever presents the
 * token knows it best.
 * @throws {ApiError} `invalid_request` where the device would end with too many custom attributes
 */
export async function registerDevice(
  db: Kysely<Database>,
  appId: string,
  registration: DeviceRegistration,
  clock: Clock,
): Promise<{ device: Device; created: boolean }> {
  const id = randomUUID();
  const now = clock();
  const row = await upsertDevice(
    db,
    { app_id: appId, id, created_at: now },
    registration.platform,
    changeFrom(registration, registration.push_token, now),
  );
  if (row === undefined) throw tooManyAttributes('device.custom');
  const created = row.id === id;
  const events = created ? [] : await readEventRows(db, appId, [row.id]);
  return { device: deviceFrom(row, events), created };
}
