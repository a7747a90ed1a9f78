/** The rows of `notification_troubles`: notifications that could not be planned or sent, and those that are being planned. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { held, LEASE_MS, type LeasedSlice, type NotificationKey, WHOLE_SLICE } from '../slice-store.ts';
import { FIRST_PAUSE_MS, PAUSE_MS_MAX } from './tries.ts';

export interface Planner {
  /** Identifies the process. */
  planner: string;
  now: Date;
  /** Whether a process with an old note counts as dead. False soon after the database was away. */
  takesOver?: boolean | undefined;
}

/**
 * Notes that this process plans the notification.
 * @returns how many processes have died while they planned it; undefined if another one is planning it, or it is not to be tried
 * yet
 */
export async function beginPlanning(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  { planner, now, takesOver = true }: Planner,
): Promise<{ deaths: number } | undefined> {
  const { rows } = await sql<{ deaths: number }>`
    insert into notification_troubles as t (app_id, notification_id, planner, planning_at)
    values (${appId}, ${notificationId}, ${planner}, ${now})
    on conflict (app_id, notification_id) do update set
      planner = excluded.planner,
      planning_at = excluded.planning_at,
      deaths = t.deaths + case when t.planner <> excluded.planner then 1 else 0 end
    where (t.not_before is null or t.not_before <= ${now})
      and (t.planner is null or t.planner = excluded.planner
        or (${takesOver} and t.planning_at < ${new Date(now.getTime() - LEASE_MS)}))
    returning t.deaths`.execute(db);
  return rows[0];
}

/** Says that the process is still planning it. Call it several times per `LEASE_MS`. */
export async function renewPlanning(
  db: Kysely<Database>,
  key: NotificationKey,
  { planner, now }: Planner,
): Promise<void> {
  await sql`update notification_troubles set planning_at = ${now} where ${ofKey(key)} and planner = ${planner}`.execute(
    db,
  );
}

/** Erases the note of `beginPlanning` if planning has neither succeeded nor failed. */
export async function stopPlanning(
  db: Kysely<Database>,
  key: NotificationKey,
  planner: string,
): Promise<void> {
  await sql`with gone as (
      delete from notification_troubles
      where ${ofKey(key)} and planner = ${planner} and failures = 0 and deaths = 0
    )
    update notification_troubles set planner = null
    where ${ofKey(key)} and planner = ${planner} and failures + deaths > 0`.execute(db);
}

/** Deletes the troubles of a notification that has now been planned. */
export async function forgetTroubles(db: Kysely<Database>, key: NotificationKey): Promise<void> {
  await sql`delete from notification_troubles where ${ofKey(key)}`.execute(db);
}

/** Marks the processes of all plans in progress as dead. Call it only when no worker is running. */
export async function endAllPlanning(db: Kysely<Database>): Promise<void> {
  await sql`update notification_troubles set planning_at = '-infinity' where planner is not null`.execute(db);
}

export interface FailedAttempt {
  /** Contains no values. */
  message: string;
  now: Date;
  /** 0.5 to 1: a factor for the pause, so that not all try again at once. */
  jitter: number;
}

/** Stores that planning, or the start of a wave, has failed. @returns how often it has failed */
export async function attemptFailed(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  { message, now, jitter }: FailedAttempt,
): Promise<number> {
  // Failures of slices, which set no pause, do not count here.
  const earlier = sql`case when t.not_before is null then 0 else t.failures end`;
  const { rows } = await sql<{ failures: number }>`
    insert into notification_troubles as t (app_id, notification_id, failures, since, failed_at, message, not_before)
    values (${appId}, ${notificationId}, 1, ${now}, ${now}, ${message}, ${pauseAfter(sql`0`, now, jitter)})
    on conflict (app_id, notification_id) do update set
      planner = null, failures = ${earlier} + 1, since = coalesce(t.since, excluded.since),
      failed_at = excluded.failed_at, message = excluded.message, not_before = ${pauseAfter(earlier, now, jitter)}
    returning t.failures`.execute(db);
  return rows[0]?.failures ?? 1;
}

/** Ends a notification that cannot be planned. @returns false if it is no longer scheduled */
export async function failScheduled(
  db: Kysely<Database>,
  key: NotificationKey,
  { reason, now }: { reason: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set({
      state: 'failed',
      reason,
      started_at: now,
      ended_at: now,
      encrypted_body: null,
      // As if it had been planned, without waves.
      planned_in: sql<string>`case when moment is not null then pg_current_snapshot() end`,
      planned_filters: sql<string | null>`(
        select a.filters from audiences as a
        where a.app_id = notifications.app_id and a.id = notifications.audience_id and a.first_filters is not null
      )`,
    })
    .where('app_id', '=', key.appId)
    .where('id', '=', key.notificationId)
    .where('state', '=', 'scheduled')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Gives a slice back after a failure, to be leased again after a pause.
 * @param triesMax failed attempts after which the next lease gives the slice up
 */
export async function sliceFailed(
  db: Kysely<Database>,
  slice: LeasedSlice,
  { message, now, jitter, triesMax }: FailedAttempt & { triesMax: number },
): Promise<void> {
  const { appId, notificationId, number, attempt } = slice;
  const isLast = sql`s.failures + 1 >= ${triesMax}`;
  // It may have been given back already, with the outcomes that were known when it failed.
  await sql`with failed as (
      update delivery_slices as s set
        state = 'waiting', lease_until = null, trying = null, failures = s.failures + 1,
        gave_up = case when ${isLast} then ${message} else s.gave_up end,
        not_before = ${pauseAfter(sql`s.failures`, now, jitter)}
      where s.app_id = ${appId} and s.notification_id = ${notificationId} and s.number = ${number}
        and s.attempt = ${attempt} and s.state <> 'done'
      returning s.failures
    )
    insert into notification_troubles as t (app_id, notification_id, failures, since, failed_at, message)
    select ${appId}::uuid, ${notificationId}::uuid, failures, ${now}, ${now}, ${message} from failed
    on conflict (app_id, notification_id) do update set
      failures = greatest(t.failures, excluded.failures), since = coalesce(t.since, excluded.since),
      failed_at = excluded.failed_at, message = excluded.message`.execute(db);
}

/** Gives a slice back that was not tried, so that its lease does not run out, which would look like the death of this process. */
export async function giveBackUntried(
  db: Kysely<Database>,
  slice: LeasedSlice,
  notBefore: Date,
): Promise<void> {
  await db
    .updateTable('delivery_slices')
    .set({ state: 'waiting', lease_until: null, trying: null, not_before: notBefore })
    .where(held(slice))
    .execute();
}

/** Stores that a part of the notification is given up, so that it will end as failed, and why. */
export async function storeGivenUp(
  db: Kysely<Database>,
  slice: LeasedSlice,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  const { appId, notificationId } = slice;
  await sql`with given_up as (
      update delivery_slices set gave_up = ${reason} where ${held(slice)} returning 1
    )
    insert into notification_troubles as t (app_id, notification_id, since, failed_at, message, gave_up)
    select ${appId}::uuid, ${notificationId}::uuid, ${now}, ${now}, ${reason}, true from given_up
    on conflict (app_id, notification_id) do update set gave_up = true`.execute(db);
}

/** Gives up all slices of a notification that stops each process that reads it. */
export async function spreadPoison(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<void> {
  await sql`update delivery_slices set poison = poison || ${WHOLE_SLICE}::uuid
    where app_id = ${appId} and notification_id = ${notificationId} and state <> 'done'
      and ${WHOLE_SLICE} <> all (poison)`.execute(db);
}

/** SQL condition: a part of the notification was given up. */
export function hasGivenUp({ appId, notificationId }: NotificationKey): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from notification_troubles as t
    where t.app_id = ${appId} and t.notification_id = ${notificationId} and t.gave_up
  )`;
}

/** @param failures before this one */
function pauseAfter(failures: RawBuilder<unknown>, now: Date, jitter: number): RawBuilder<Date> {
  const ms = sql`least(${PAUSE_MS_MAX}, ${FIRST_PAUSE_MS} * power(2, least(${failures}, 20)))`;
  return sql<Date>`${now}::timestamptz + ${ms} * ${jitter}::float8 * interval '1 millisecond'`;
}

function ofKey({ appId, notificationId }: NotificationKey): RawBuilder<boolean> {
  return sql<boolean>`app_id = ${appId} and notification_id = ${notificationId}`;
}
