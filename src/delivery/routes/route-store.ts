/** The rows of `route_states`: the state of each route with its credentials, which all workers share. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Author } from '../../audit/author.ts';
import { inTransaction, recordChange } from '../../audit/record.ts';
import type { PauseCause, StoredRouteState } from '../../apps/route-states.ts';
import type { Database } from '../../db/tables.ts';
import { type Route, routeNames } from '../../route.ts';
import { refusalReason } from './refusal-store.ts';

export interface RouteKey {
  appId: string;
  route: Route;
  /** The version of the credentials. */
  version: string;
}

/** The first probe comes soon, because replacing a key or setting a clock takes only seconds. */
const FIRST_PROBE_MS = 5_000;
const PROBE_DISTANCE_MS_MAX = 5 * 60_000;

/** A probe time further away than this was written by a clock that has been set back since. */
const PROBE_IS_SOON_MS = 2 * PROBE_DISTANCE_MS_MAX;

/** The result of storing a pause. */
export type PauseStored = 'paused' | 'was_paused' | 'unguarded';

/** When a pause is probed for the first time (Unix ms). */
export function firstProbeMs(nowMs: number): number {
  return nowMs + FIRST_PROBE_MS;
}

/** Whether a probe that is planned for `probeAtMs` (Unix ms) is due. */
export function isProbeDue(probeAtMs: number, nowMs: number): boolean {
  return probeAtMs <= nowMs || probeAtMs > nowMs + PROBE_IS_SOON_MS;
}

/** Stores that a push was accepted, and deletes the states of earlier credentials. */
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
 * Pauses a route for all workers, unless it is paused already or an operator has confirmed that its dead tokens are
 * dead. The notification that caused the pause shows it as its `reason`.
 * @returns `paused` if this call paused it
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
    ), notification as (
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
 * Takes the next probe of a paused route for this worker.
 * @returns when the following probe is due (Unix ms); undefined if this one is not due, or another worker has it
 */
export async function takeProbe(
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

/** Ends a pause of a route and wakes the slices that wait for it. @returns whether it was paused */
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

interface DuePause extends Pick<RouteKey, 'appId' | 'route' | 'version'> {
  /** The app has other credentials now. */
  isReplaced: boolean;
}

/** Pauses whose probe is due, or whose credentials have been replaced. There are rarely any. */
async function findDuePauses(db: Kysely<Database>, now: Date): Promise<DuePause[]> {
  const { rows } = await sql<DuePause>`
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
 * Wakes slices that wait for a pause to end: all of them if the credentials have been replaced, one if a probe is due. Every
 * worker's sweep calls it.
 */
export async function wakeForPauses(db: Kysely<Database>, now: Date): Promise<void> {
  for (const { isReplaced, ...key } of await findDuePauses(db, now)) {
    if (!isReplaced) {
      await wakeSlices(db, key, now, 1);
      continue;
    }
    // The pause is deleted first, because a slice that is given back meanwhile checks whether it exists (`endSlice`).
    await db
      .deleteFrom('route_states')
      .where('app_id', '=', key.appId)
      .where('route', '=', key.route)
      .where('version', '=', key.version)
      .execute();
    await wakeSlices(db, key, now);
  }
}

/**
 * @param slicesMax if undefined, all of them are woken, and their notifications no longer show the pause as `reason`
 */
async function wakeSlices(
  db: Kysely<Database>,
  { appId, route }: Pick<RouteKey, 'appId' | 'route'>,
  now: Date,
  slicesMax?: number,
): Promise<void> {
  // Several sweeps may run at once, so each skips slices that another has locked.
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

/** After an operator resumes a route, its dead tokens are retired without limit for this long. */
const UNGUARDED_MS = 24 * 60 * 60_000;

/**
 * Ends the pauses of an app at an operator's request. If a route was paused for its dead tokens, they are retired for a
 * day, however many there are.
 * @param only the route to resume; if undefined, all of them
 * @returns the routes that were paused
 */
export async function resumeRoutes(
  db: Kysely<Database>,
  { appId, only, author }: { appId: string; only?: Route | undefined; author?: Author },
  now: Date,
): Promise<Route[]> {
  const resumed = await inTransaction(db, async (transaction) => {
    const ended = await endPausesOf(transaction, { appId, only }, now);
    for (const { route, pause_reason: reason, pause } of ended) {
      const change = { appId, action: 'route.resumed', objectId: route, before: { pause, reason } } as const;
      await recordChange(transaction, author, change, () => now);
    }
    return ended.map(({ route }) => route).sort();
  });
  for (const route of resumed) await wakeSlices(db, { appId, route }, now);
  return resumed;
}

async function endPausesOf(
  db: Kysely<Database>,
  { appId, only }: { appId: string; only: Route | undefined },
  now: Date,
): Promise<{ route: Route; pause: PauseCause; pause_reason: string }[]> {
  const { rows } = await sql<{ route: Route; pause: PauseCause; pause_reason: string }>`
    with paused as (
      select app_id, route, version, pause, pause_reason from route_states
      where app_id = ${appId} and pause is not null and ${only === undefined ? sql`true` : sql`route = ${only}`}
      for update
    )
    update route_states as r set pause = null, pause_reason = null, paused_at = null, probe_at = null, probes = 0,
      unguarded_until = case when p.pause = 'tokens' then ${new Date(now.getTime() + UNGUARDED_MS)} else r.unguarded_until end
    from paused as p
    where r.app_id = p.app_id and r.route = p.route and r.version = p.version
    returning r.route, p.pause, p.pause_reason`.execute(db);
  return rows;
}

/** The reason of a notification whose pushes wait for the end of a pause. */
export function pauseSentence(
  route: Route,
  reason: NonNullable<StoredRouteState['pause']>['reason'],
): string {
  return `${routeNames[route]} is paused: ${reason}`;
}

function probeIsDue(now: Date): RawBuilder<boolean> {
  const soon = new Date(now.getTime() + PROBE_IS_SOON_MS);
  return sql<boolean>`(probe_at <= ${now} or probe_at > ${soon})`;
}
