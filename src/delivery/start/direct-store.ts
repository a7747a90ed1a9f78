/**
 * The statements of the direct path. Each works on a group of notifications: one reads those that are due, one claims them
 * and reads their devices. `claim-store.ts` says what a claim is.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { compileFilters } from '../../targeting/rows/compile.ts';
import { devicesRow } from '../../targeting/rows/row.ts';
import type { Filter } from '../../filters/filter.ts';
import {
  CAN_BE_SENT,
  DEVICE_COLUMNS,
  DEVICES_AS_JSON,
  DEVICES_BY_KEY,
  type DeviceKey,
  devicesOf,
} from '../../targeting/devices-by-key.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { fewRows, listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { isDue } from './due.ts';
import type { NotificationKey } from '../slice-store.ts';

/** A due notification that no worker has started. */
export interface DueNotification extends NotificationKey {
  /** Null if it or its filters are longer than a target of few devices needs. */
  body: string | null;
  due_at: Date;
  origin: Origin;
  /** JSON of the filters of its target; null where `body` is. */
  filters: unknown;
  /** Whether its devices are due at different moments. */
  hasMoment: boolean;
}

export interface DueRequest {
  now: Date;
  limit: number;
  /** Ids of notifications to leave out. */
  except: readonly string[];
}

/** A group of a hundred may each have a megabyte of filters, or of translations. */
const BYTES_MAX = 32_768;

/** Reads due notifications that no worker has started, the longest overdue first. */
export async function readDueNotifications(
  db: Kysely<Database>,
  { now, limit, except }: DueRequest,
): Promise<DueNotification[]> {
  const rows = await db
    .selectFrom('notifications as n')
    .modifyFront(preparedAs('read_due_notifications'))
    .select(['n.app_id', 'n.id', 'n.due_at', ...originColumns])
    .select([upTo(sql<string>`n.body`).as('body'), upTo(targetFilters).as('filters')])
    .select(sql<boolean>`n.moment is not null`.as('has_moment'))
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
    body: row.filters === null ? null : row.body,
    due_at: row.due_at,
    origin: originOf(row),
    filters: row.body === null ? null : row.filters,
    hasMoment: row.has_moment,
  }));
}

/** @returns the value, or null if it is longer */
function upTo<Value>(value: RawBuilder<Value>): RawBuilder<Value | null> {
  return sql`(select case when octet_length(v.value::text) <= ${sql.lit(BYTES_MAX)} then v.value end
    from (select ${value} as value) as v)`;
}

export interface ClaimRequest extends NotificationKey {
  devicesMax: number;
}

/** The devices of claimed notifications, sorted by id, by the id of the notification. An empty list: it has ended. */
export type Claims = ReadonlyMap<string, readonly MatchingDevice[]>;

/**
 * Claims notifications that each go to one device or to the devices of one user: sets their state to `sending` and their
 * lane to `direct`. A notification to no device ends at once. It is left unchanged if it has more devices than `devicesMax`,
 * if its app has credentials for none of their platforms, if it is no longer scheduled, or if another worker or a cancel
 * has locked it. One statement both checks and changes the states, so of several workers only one claims each.
 */
export async function claimByKey(
  db: Kysely<Database>,
  requests: readonly (ClaimRequest & { key: DeviceKey })[],
  now: Date,
): Promise<Claims> {
  const devices = requests.map(({ key }) => key.deviceId);
  const users = requests.map(({ key }) => key.userId);
  const { rows } = await sql<ClaimedRow>`${preparedAs('claim_by_key')}
    with ${wanted(requests, { devices, users })}, ${readyFrom(sql.raw(DEVICES_BY_KEY))}
    ${claimReady(now)}`.execute(db);
  return byNotification(rows);
}

/** Claims one notification with any filters, in the same way as `claimByKey`. */
export async function claimByFilters(
  db: Kysely<Database>,
  request: ClaimRequest & { filters: readonly Filter[] },
  now: Date,
): Promise<Claims> {
  const { appId, filters, devicesMax } = request;
  // Sorted by the primary key: for an audience of everyone, Postgres then reads the first few rows and stops.
  const { rows } = await sql<ClaimedRow>`
    with ${wanted([request], { devices: [null], users: [null] })}, ${readyFrom(sql`
      select ${sql.raw(DEVICE_COLUMNS)}
      from devices as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: devicesRow(appId), now })}
      order by d.id
      limit ${devicesMax + 1}`)}
    ${claimReady(now)}`.execute(db);
  return byNotification(rows);
}

/**
 * The common table expression `wanted`: the notifications, those that are locked left out. Their state is looked at
 * afterwards: with a condition on it, the planner would scan for rows with that state instead of looking up each row by its key.
 */
function wanted(
  requests: readonly ClaimRequest[],
  { devices, users }: { devices: readonly (string | null)[]; users: readonly (string | null)[] },
): RawBuilder<unknown> {
  const appIds = requests.map(({ appId }) => appId);
  const ids = requests.map(({ notificationId }) => notificationId);
  const devicesMax = requests.map((request) => request.devicesMax);
  return sql`wanted as materialized (
      select n.app_id, n.id, n.state, request.devices_max, request.device_id, request.user_id
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(devicesMax, 'int')},
        ${listParameter(devices, 'uuid')}, ${listParameter(users, 'text')}
      ) with ordinality as request (app_id, id, devices_max, device_id, user_id, position)
      join notifications as n on n.app_id = request.app_id and n.id = request.id
      where ${fewRows}
      for no key update of n skip locked
    )`;
}

/**
 * The common table expression `ready`: the notifications that may be claimed, each with its devices as JSON.
 * @param devices a query for the devices of the row `wanted`
 */
function readyFrom(devices: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`ready as materialized (
      select wanted.app_id, wanted.id, found.count, found.devices
      from wanted cross join lateral (
        select ${sql.raw(DEVICES_AS_JSON)} from (${devices}) as device
      ) as found
      where wanted.state = 'scheduled' and ${sql.raw(CAN_BE_SENT)}
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

function byNotification(rows: readonly ClaimedRow[]): Claims {
  return new Map(rows.map(({ id, devices }) => [id, devicesOf(devices)]));
}
