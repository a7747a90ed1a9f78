/**
 * The statements of the direct path. Each works on a group of notifications: one reads those that are due, one claims them
 * and reads their devices, one reads their apps. `claim-store.ts` says what a claim is.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { z } from 'zod';
import { androidColumns, androidSettingsOf } from '../../apps/android-settings.ts';
import { routeStatesJson } from '../../apps/route-states.ts';
import { compileFilters } from '../../targeting/rows/compile.ts';
import { devicesRow } from '../../targeting/rows/row.ts';
import type { Filter } from '../../filters/filter.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { isUuid } from '../../uuid.ts';
import { isDue } from './due.ts';
import type { SendingApp } from '../claims/claim-delivery.ts';
import type { NotificationKey } from '../slice-store.ts';

/** A due notification that no worker has started. */
export interface DueNotification extends NotificationKey {
  body: string;
  due_at: Date;
  origin: Origin;
  /** JSON of the filters of its target. */
  filters: unknown;
}

export interface DueRequest {
  now: Date;
  limit: number;
  /** Ids of notifications to leave out. */
  except: readonly string[];
}

/** Reads due notifications that no worker has started, the longest overdue first. */
export async function readDueNotifications(
  db: Kysely<Database>,
  { now, limit, except }: DueRequest,
): Promise<DueNotification[]> {
  const rows = await db
    .selectFrom('notifications as n')
    .modifyFront(preparedAs('read_due_notifications'))
    .select(['n.app_id', 'n.id', 'n.body', 'n.due_at', ...originColumns, targetFilters.as('filters')])
    // A literal, because a prepared statement with a parameter here could not use the partial index.
    .where('n.state', '=', sql.lit('scheduled'))
    .where(isDue(now))
    .where(sql<boolean>`n.id <> all(${listParameter(except, 'uuid')})`)
    .orderBy('n.due_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    appId: row.app_id,
    notificationId: row.id,
    body: row.body,
    due_at: row.due_at,
    origin: originOf(row),
    filters: row.filters,
  }));
}

/** Reads apps. @returns by id */
export async function readSendingApps(
  db: Kysely<Database>,
  appIds: readonly string[],
): Promise<Map<string, SendingApp>> {
  const rows = await db
    .selectFrom('apps')
    .modifyFront(preparedAs('read_sending_apps'))
    .select((build) => [
      'apps.id',
      'apps.bundle_id',
      ...androidColumns,
      jsonArrayFrom(
        build
          .selectFrom('gateway_credentials as c')
          .select(['c.gateway', 'c.environment', 'c.version'])
          .select(routeStatesJson({ appId: sql.ref('c.app_id'), version: sql.ref('c.version') }).as('routes'))
          .whereRef('c.app_id', '=', 'apps.id'),
      ).as('credentials'),
    ])
    .where(sql<boolean>`apps.id = any(${listParameter(appIds, 'uuid')})`)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      { bundleId: row.bundle_id, android: androidSettingsOf(row), credentials: row.credentials },
    ]),
  );
}

export interface ClaimRequest extends NotificationKey {
  filters: readonly Filter[];
  devicesMax: number;
}

/** The devices of claimed notifications, sorted by id, by the id of the notification. An empty list: it has ended. */
export type Claims = ReadonlyMap<string, readonly MatchingDevice[]>;

/**
 * Claims notifications that each go to one device or to the devices of one user: sets their state to `sending` and their
 * lane to `direct`. A notification to no device ends at once. It is left unchanged if it has more devices than `devicesMax`,
 * if its app has credentials for none of their platforms, if it is no longer scheduled, or if another worker or a cancel
 * has locked it. One statement both checks and changes the states, so of several workers only one claims each.
 * @param requests with filters for which `isByKey` holds
 */
export async function claimByKey(
  db: Kysely<Database>,
  requests: readonly ClaimRequest[],
  now: Date,
): Promise<Claims> {
  const devices = requests.map(({ filters }) => deviceIdOf(filters) ?? null);
  const users = requests.map(({ filters }) => userIdOf(filters) ?? null);
  const { rows } = await sql<ClaimedRow>`${preparedAs('claim_by_key')}
    with ${wanted(requests, { devices, users })}, ${readyFrom(sql`
      select ${deviceColumns} from devices as d where d.app_id = wanted.app_id and d.id = wanted.device_id
      union all
      select ${deviceColumns} from devices as d where d.app_id = wanted.app_id and d.user_id = wanted.user_id
      order by id
      limit wanted.devices_max + 1`)}
    ${claimReady(now)}`.execute(db);
  return byNotification(rows);
}

/** Claims one notification with any filters, in the same way as `claimByKey`. */
export async function claimByFilters(
  db: Kysely<Database>,
  request: ClaimRequest,
  now: Date,
): Promise<Claims> {
  const { appId, filters, devicesMax } = request;
  // Sorted by the primary key: for an audience of everyone, Postgres then reads the first few rows and stops.
  const { rows } = await sql<ClaimedRow>`
    with ${wanted([request], { devices: [null], users: [null] })}, ${readyFrom(sql`
      select ${deviceColumns}
      from devices as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: devicesRow(appId), now })}
      order by d.id
      limit ${devicesMax + 1}`)}
    ${claimReady(now)}`.execute(db);
  return byNotification(rows);
}

/** Whether `claimByKey` serves for the audience. */
export function isByKey(filters: readonly Filter[]): boolean {
  return deviceIdOf(filters) !== undefined || userIdOf(filters) !== undefined;
}

/** The device of an audience of one device; undefined for other audiences. */
function deviceIdOf([filter, ...others]: readonly Filter[]): string | undefined {
  if (filter?.kind !== 'device_id' || filter.not || others.length > 0) return undefined;
  const [id, ...otherIds] = filter.criteria;
  return id !== undefined && isUuid(id) && otherIds.length === 0 ? id : undefined;
}

/** The user of an audience of one user; undefined for other audiences. */
function userIdOf([filter, ...others]: readonly Filter[]): string | undefined {
  if (filter?.kind !== 'text' || filter.column !== 'user_id' || filter.not || others.length > 0) {
    return undefined;
  }
  const [id, ...otherIds] = filter.criteria;
  return otherIds.length === 0 ? id : undefined;
}

const deviceColumns = sql`d.id, d.platform, d.push_token, d.push_token_type, d.development`;

/**
 * As a subquery, so that the planner does not take the partial index of due notifications, which it believes to be empty, and
 * scan it for every row. The primary key finds the row.
 */
const scheduled = sql`(select 'scheduled')`;

/** The common table expression `wanted`: the notifications, those that are locked left out. */
function wanted(
  requests: readonly ClaimRequest[],
  { devices, users }: { devices: readonly (string | null)[]; users: readonly (string | null)[] },
): RawBuilder<unknown> {
  const appIds = requests.map(({ appId }) => appId);
  const ids = requests.map(({ notificationId }) => notificationId);
  const devicesMax = requests.map((request) => request.devicesMax);
  return sql`wanted as materialized (
      select n.app_id, n.id, request.devices_max, request.device_id, request.user_id
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(devicesMax, 'int')},
        ${listParameter(devices, 'uuid')}, ${listParameter(users, 'text')}
      ) as request (app_id, id, devices_max, device_id, user_id)
      join notifications as n on n.app_id = request.app_id and n.id = request.id
      where n.state = ${scheduled}
      for no key update of n skip locked
    )`;
}

/**
 * The common table expression `ready`: the notifications that may be claimed, each with its devices as JSON. They are
 * aggregated per notification, because a join of two common table expressions compares every row with every other.
 * @param devices a query for the devices of the row `wanted`
 */
function readyFrom(devices: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`ready as materialized (
      select wanted.app_id, wanted.id, found.count, found.devices
      from wanted cross join lateral (
        select count(*) as count, bool_or(platform = 'iOS') as on_ios, bool_or(platform = 'Android') as on_android,
          json_agg(json_build_array(id, platform, push_token, push_token_type, development) order by id)::text as devices
        from (${devices}) as device
      ) as found
      where found.count <= wanted.devices_max and (found.count = 0 or exists (
        select from gateway_credentials as c
        where c.app_id = wanted.app_id and (c.gateway = 'apns' and found.on_ios or c.gateway = 'fcm' and found.on_android)
      ))
    )`;
}

function claimReady(now: Date): RawBuilder<unknown> {
  return sql`update notifications as n
    set state = case ready.count when 0 then 'sent' else 'sending' end, lane = 'direct', devices = ready.count,
      started_at = ${now}, ended_at = case ready.count when 0 then ${now}::timestamptz end
    from ready
    where n.app_id = ready.app_id and n.id = ready.id
    returning n.id, ready.devices`;
}

interface ClaimedRow {
  id: string;
  /** JSON; null if there are none. */
  devices: string | null;
}

const deviceRows = z.array(
  z.tuple([
    z.string(),
    z.enum(['iOS', 'Android']),
    z.string().nullable(),
    z.enum(['token', 'fid']),
    z.boolean(),
  ]),
);

function byNotification(rows: readonly ClaimedRow[]): Claims {
  return new Map(rows.map(({ id, devices }) => [id, devices === null ? [] : devicesOf(devices)]));
}

function devicesOf(json: string): MatchingDevice[] {
  return deviceRows
    .parse(JSON.parse(json))
    .map(([id, platform, push_token, push_token_type, development]) => ({
      id,
      platform,
      push_token,
      push_token_type,
      development,
    }));
}
