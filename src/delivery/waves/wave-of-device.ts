/** Finds the wave of one device, from the time zone and quiet hours that it had when the notification was planned. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../slice-store.ts';
import { type CutWave, sliceMoment } from './wave.ts';
import { inWave } from './in-wave.ts';
import { readWaves } from './wave-store.ts';

export interface DeviceWave {
  wave: CutWave;
  /** When the device is due: within the time over which the wave is spread. */
  dueAt: Date;
}

/**
 * @param deviceId a UUID
 * @returns undefined if the notification has no waves, or the app has no such device
 */
export async function waveOfDevice(
  db: Kysely<Database>,
  key: NotificationKey,
  deviceId: string,
): Promise<DeviceWave | undefined> {
  const { appId, notificationId } = key;
  const notification = await db
    .selectFrom('notifications')
    .select('planned_in')
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .executeTakeFirst();
  const plannedIn = notification?.planned_in ?? null;
  if (plannedIn === null) return undefined;
  const waves = await readWaves(db, key);
  const range = { firstId: deviceId, lastId: deviceId };
  const conditions = waves.map(
    (wave) => inWave({ ...key, wave, waves, plannedIn, ...range }) ?? sql<boolean>`true`,
  );
  if (conditions.length === 0) return undefined;
  const { rows } = await sql<{ isIn: boolean[] }>`
    select array[${sql.join(conditions)}] as "isIn" from devices as d
    where d.app_id = ${appId} and d.id = ${deviceId}`.execute(db);
  const wave = waves[rows[0]?.isIn.indexOf(true) ?? -1];
  return wave && { wave, dueAt: sliceMoment(wave, sliceOf(wave, deviceId)) };
}

/** The number of the slice that contains this device id; slices are equal ranges of ids. */
function sliceOf({ firstSlice, slices }: CutWave, deviceId: string): number {
  const id = BigInt(`0x${deviceId.replaceAll('-', '')}`);
  return firstSlice + Number((id * BigInt(slices)) >> 128n);
}
