/** The rows of `route_states`: what all workers know of a route with its present credentials. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PauseCause, StoredRouteState } from '../../apps/route-states.ts';
import type { Database } from '../../db/tables.ts';
import type { Route } from '../../gateways/gateway.ts';
import { refusalReason } from './refusal-store.ts';

export interface RouteKey {
  appId: string;
  route: Route;
  /** Of the credentials. */
  version: string;
}

/** The first probe of a pause comes soon: a key in mid-change, or a clock that is being set, is right again in seconds. */
const FIRST_PROBE_MS = 5_000;
const PROBE_DISTANCE_MS_MAX = 5 * 60_000;

/** A time that is further off was written by a clock that has been put back since. */
const PROBE_IS_SOON_MS = 2 * PROBE_DISTANCE_MS_MAX;

/** What becomes of a pause that is to be stored. */
export type PauseStored = 'paused' | 'was_paused' | 'unguarded';

/** When a pause is probed for the first time (Unix ms). */
export function firstProbeMs(nowMs: number): number {
  return nowMs + FIRST_PROBE_MS;
}

/** Whether a probe is due that was to come at a moment (Unix ms). */
export function isProbeDue(probeAtMs: number, nowMs: number): boolean {
  return probeAtMs <= nowMs || probeAtMs > nowMs + PROBE_IS_SOON_MS;
}

/** Notes that a push was accepted; what was known of credentials before these is removed. */
export async function storeProof(db: Kysely<Database>, key: RouteKey, now: Date): Promise<void> {
  await sql`
    with replaced as (
      delete from route_states
      where app_id = ${key.appId} and route = ${key.route} and version <> ${key.version} and pause is null
    )
    insert into route_states as r (app_id, route, version, proven_at)
    values (${key.appId}, ${key.route}, ${key.version}, ${now})
    on conflict (app_id, route, version) do update set proven_at = coalesce(r.proven_at, excluded.proven_at)
  `.execute(db);
}

/**
 * Pauses a route for all workers, unless it is paused already or an operator has told us not to heed its dead tokens; the
 * record of the notification that met the cause says so from now on.
 * @returns `paused` where it was this call that paused it
 */
export async function storePause(
  db: Kysely<Database>,
  { appId, route, version }: RouteKey,
  { cause, reason, notificationId }: { cause: PauseCause; reason: string; notificationId: string },
  now: Date,
): Promise<PauseStored> {
  const probeAt = cause === 'credentials' ? new Date(firstProbeMs(now.getTime())) : null;
  const { rows } = await sql<{ stored: PauseStored }>`
    with paused as (
      insert into route_states as r (app_id, route, version, pause, pause_reason, paused_at, probe_at)
      values (${appId}, ${route}, ${version}, ${cause}, ${reason}, ${now}, ${probeAt})
      on conflict (app_id, route, version) do update set pause = excluded.pause, pause_reason = excluded.pause_reason,
        paused_at = excluded.paused_at, probes = 0, probe_at = excluded.probe_at
      where r.pause is null
        and not (excluded.pause = 'tokens' and coalesce(r.unguarded_until > ${now}, false))
      returning 1
    ), told as (
      update notifications set reason = ${pauseSentence(route, reason)}
      where app_id = ${appId} and id = ${notificationId} and state = 'sending' and exists (select from paused)
    )
    select case
      when exists (select from paused) then 'paused'
      when exists (
        select from route_states
        where app_id = ${appId} and route = ${route} and version = ${version} and pause is not null
      ) then 'was_paused'
      else 'unguarded'
    end as stored`.execute(db);
  return rows[0]?.stored ?? 'was_paused';
}

/**
 * Asks for the next probe of a paused route, which is one worker's.
 * @returns when the one after it is due (Unix ms); undefined where it is not due, or another has it
 */
export async function claimProbe(
  db: Kysely<Database>,
  { appId, route, version }: RouteKey,
  now: Date,
): Promise<number | undefined> {
  const distanceMs = sql`least(${FIRST_PROBE_MS}::float8 * power(2, least(probes + 1, 20)), ${PROBE_DISTANCE_MS_MAX}::float8)`;
  const row = await db
    .updateTable('route_states')
    .set({
      probes: sql`probes + 1`,
      probe_at: sql`${now}::timestamptz + ${distanceMs} * interval '1 millisecond'`,
    })
    .where('app_id', '=', appId)
    .where('route', '=', route)
    .where('version', '=', version)
    .where('pause', '=', 'credentials')
    .where(probeIsDue(now))
    .returning('probe_at')
    .executeTakeFirst();
  return row?.probe_at?.getTime();
}

/** Ends a pause of a route, and has what waits for it go on at once. @returns whether it was paused */
export async function endPause(
  db: Kysely<Database>,
  { appId, route, version }: RouteKey,
  cause: PauseCause,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('route_states')
    .set({ pause: null, pause_reason: null, paused_at: null, probe_at: null, probes: 0 })
    .where('app_id', '=', appId)
    .where('route', '=', route)
    .where('version', '=', version)
    .where('pause', '=', cause)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await wakeSlices(db, { appId, route }, now);
  return numUpdatedRows > 0n;
}

interface PauseToSeeTo extends Pick<RouteKey, 'appId' | 'route' | 'version'> {
  /** The app has other credentials by now. */
  isReplaced: boolean;
}

/** Pauses whose probe is due, or whose credentials have been replaced. There are hardly ever any. */
async function findPausesToSeeTo(db: Kysely<Database>, now: Date): Promise<PauseToSeeTo[]> {
  const { rows } = await sql<PauseToSeeTo>`
    select * from (
      select r.app_id as "appId", r.route, r.version, r.pause, r.probe_at,
        not exists (select from gateway_credentials as c where c.app_id = r.app_id and c.version = r.version)
          as "isReplaced"
      from route_states as r
      where r.pause is not null
    ) as paused
    where "isReplaced" or (pause = 'credentials' and ${probeIsDue(now)})`.execute(db);
  return rows;
}

/**
 * Has slices go on that wait for a pause to end: all of them where the credentials have been replaced, one where a probe
 * is due. Every worker's sweep does this.
 */
export async function wakeForPauses(db: Kysely<Database>, now: Date): Promise<void> {
  for (const { isReplaced, ...key } of await findPausesToSeeTo(db, now)) {
    if (!isReplaced) {
      await wakeSlices(db, key, now, 1);
      continue;
    }
    // First the pause ends: a slice that is handed on just now looks whether it is there (`endSlice`).
    await db
      .deleteFrom('route_states')
      .where('app_id', '=', key.appId)
      .where('route', '=', key.route)
      .where('version', '=', key.version)
      .execute();
    await wakeSlices(db, key, now);
  }
}

/** @param slicesMax else all of them, and the records of their notifications speak of the pause no more */
async function wakeSlices(
  db: Kysely<Database>,
  { appId, route }: Pick<RouteKey, 'appId' | 'route'>,
  now: Date,
  slicesMax?: number,
): Promise<void> {
  // Several sweeps may be at it: each takes what no other has.
  await sql`
    with waiting as (
      select app_id, notification_id, number from delivery_slices
      where app_id = ${appId} and state = 'waiting' and ${route} = any (waits_for) and not_before > ${now}
      order by notification_id, number
      limit ${slicesMax ?? null}
      for update skip locked
    ), woken as (
      update delivery_slices as s set not_before = ${now}
      from waiting as w
      where s.app_id = w.app_id and s.notification_id = w.notification_id and s.number = w.number
      returning s.notification_id
    )
    update notifications as n set reason = ${refusalReason(sql`n.refused`)}
    where n.app_id = ${appId} and n.id in (select notification_id from woken) and n.state = 'sending'
      and ${slicesMax === undefined}`.execute(db);
}

/** For how long dead tokens are not looked at after an operator has said that a route is right. */
const UNGUARDED_MS = 24 * 60 * 60_000;

/**
 * Ends the pauses of an app because an operator says so. Dead tokens on these routes are retired for a day, however many
 * they are.
 * @param only this route; else all of them
 * @returns the routes that were paused
 */
export async function resumeRoutes(
  db: Kysely<Database>,
  { appId, only }: { appId: string; only?: Route | undefined },
  now: Date,
): Promise<Route[]> {
  const { rows } = await sql<{ route: Route }>`
    with paused as (
      select app_id, route, version, pause from route_states
      where app_id = ${appId} and pause is not null and ${only === undefined ? sql`true` : sql`route = ${only}`}
      for update
    )
    update route_states as r set pause = null, pause_reason = null, paused_at = null, probe_at = null, probes = 0,
      unguarded_until = case when p.pause = 'tokens' then ${new Date(now.getTime() + UNGUARDED_MS)} else r.unguarded_until end
    from paused as p
    where r.app_id = p.app_id and r.route = p.route and r.version = p.version
    returning r.route`.execute(db);
  const resumed = rows.map(({ route }) => route).sort();
  for (const route of resumed) await wakeSlices(db, { appId, route }, now);
  return resumed;
}

/** What a notification's record and its devices are told of a pause. */
export function pauseSentence(
  route: Route,
  reason: NonNullable<StoredRouteState['pause']>['reason'],
): string {
  return `${route} is paused: ${reason}`;
}

function probeIsDue(now: Date): RawBuilder<boolean> {
  const soon = new Date(now.getTime() + PROBE_IS_SOON_MS);
  return sql<boolean>`(probe_at <= ${now} or probe_at > ${soon})`;
}
