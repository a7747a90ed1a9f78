/** The rows of `notification_waves`: planning inserts them, and the sweep starts those that are due. */
import { type Kysely, type Selectable, sql } from 'kysely';
import type { SearchStart } from '../../scheduling/search-start.ts';
import { isWaitingWave } from '../../unended.ts';
import type { Database } from '../../db/tables.ts';
import type { NotificationWavesTable } from '../../db/feature-tables/wave-tables.ts';
import { insertSlices, type NotificationKey } from '../slice-store.ts';
import { cutIdSpace } from '../start/id-ranges.ts';
import { PAUSE_MS_MAX } from '../troubles/tries.ts';
import { leftOutReasons } from '../../notifications/moment/moment.ts';
import { type CutWave, sliceMoment } from './wave.ts';

/** @param state `over` for a dry run, whose waves never start */
export async function insertWaves(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  waves: readonly CutWave[],
  state: 'waiting' | 'over',
): Promise<void> {
  if (waves.length === 0) return;
  await db
    .insertInto('notification_waves')
    .values(
      waves.map((wave) => ({
        app_id: appId,
        notification_id: notificationId,
        wave: wave.wave,
        due_at: wave.dueAt,
        action: wave.action,
        reason: wave.reason,
        spread_ms: wave.spreadMs,
        zones: [...wave.zones],
        is_rest: wave.isRest,
        devices: wave.devices,
        without_zone: wave.withoutZone,
        own_hours: [...wave.ownHours],
        by_own_hours: wave.byOwnHours,
        first_slice: wave.firstSlice,
        slices: wave.slices,
        state,
      })),
    )
    .execute();
}

/** The waves of a notification, in their order. */
export async function readWaves(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<CutWave[]> {
  const rows = await db
    .selectFrom('notification_waves')
    .selectAll()
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .orderBy('wave')
    .execute();
  return rows.map(waveFrom);
}

export interface WaveKey extends NotificationKey {
  wave: number;
}

/**
 * Finds waves that are due and have not started, the longest overdue first. Those of a notification that pauses after a failure are
 * left out; a pause that seems longer than any is over, because the clock was set back.
 */
export async function findDueWaves(
  db: Kysely<Database>,
  now: Date,
  limit: number,
  start: SearchStart,
): Promise<WaveKey[]> {
  const { rows } = await sql<WaveKey & { dueAt: Date }>`
    select w.app_id as "appId", w.notification_id as "notificationId", w.wave, w.due_at as "dueAt"
    from notification_waves as w
    where ${isWaitingWave('w')} and w.due_at >= ${start.begin(now)} and w.due_at <= ${now} and not exists (
      select from notification_troubles as t
      where t.app_id = w.app_id and t.notification_id = w.notification_id
        and t.not_before > ${now} and t.not_before <= ${new Date(now.getTime() + PAUSE_MS_MAX)}
    )
    order by w.due_at
    limit ${limit}`.execute(db);
  start.end(rows[0]?.dueAt ?? now);
  return rows.map(({ appId, notificationId, wave }) => ({ appId, notificationId, wave }));
}

export interface StartedWave extends CutWave {
  /** Id of the request that created the notification. */
  requestId: string;
}

/**
 * Starts a wave in the caller's transaction: inserts its slices. A wave of a notification that has ended is over instead.
 * @returns the wave; undefined if it has started already, or never will
 */
export async function startWave(
  transaction: Kysely<Database>,
  { appId, notificationId, wave }: WaveKey,
): Promise<StartedWave | undefined> {
  // Locked in the same order by planning and by a cancel.
  const notification = await transaction
    .selectFrom('notifications')
    .select(['state', 'request_id'])
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const row = await transaction
    .updateTable('notification_waves')
    .set({ state: notification?.state === 'sending' ? 'started' : 'over' })
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .where('wave', '=', wave)
    .where('state', '=', 'waiting')
    .returningAll()
    .executeTakeFirst();
  if (notification === undefined || row?.state !== 'started') return undefined;
  const started = waveFrom(row);
  const { firstSlice, slices } = started;
  await insertSlices(
    transaction,
    { appId, notificationId },
    cutIdSpace(slices),
    (number) => sliceMoment(started, number),
    firstSlice,
  );
  // Until it started, the wave counted as one slice.
  await transaction
    .updateTable('notifications')
    .set((eb) => ({ slices_left: eb('slices_left', '+', slices - 1) }))
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .execute();
  await transaction
    .updateTable('notification_troubles')
    .set({ failures: 0, not_before: null })
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .where('not_before', 'is not', null)
    .execute();
  return { ...started, requestId: notification.request_id };
}

function waveFrom(
  row: Omit<Selectable<NotificationWavesTable>, 'app_id' | 'notification_id' | 'state'>,
): CutWave {
  return {
    wave: row.wave,
    dueAt: row.due_at,
    action: row.action,
    reason: leftOutReasons.find((reason) => reason === row.reason) ?? null,
    spreadMs: row.spread_ms,
    zones: row.zones,
    isRest: row.is_rest,
    devices: row.devices,
    withoutZone: row.without_zone,
    ownHours: row.own_hours,
    byOwnHours: row.by_own_hours,
    firstSlice: row.first_slice,
    slices: row.slices,
  };
}
