/**
 * The statements of the direct path. Each works on a group of notifications: one reads those that are due, one claims them
 * and reads their devices, one reads their apps. `claim-store.ts` says what a claim is.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
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
    .where('n.due_at', '<=', now)
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

/** A longer list of ids may be for few devices too, but is too long for a group. */
const KEYS_MAX = 100;

export interface ClaimRequest extends NotificationKey {
  filters: readonly Filter[];
  devicesMax: number;
}

/** The devices of claimed notifications, sorted by id, by the id of the notification. */
export type Claims = ReadonlyMap<string, MatchingDevice[]>;

interface FoundRow extends MatchingDevice {
  notification_id: string;
}

const deviceColumns = sql`d.id, d.platform, d.push_token, d.push_token_type, d.development`;

/**
 * Claims notifications that each go to a few devices by id, or to the devices of one or more users: sets their state to
 * `sending` and their lane to `direct`. A notification is left unchanged if it has more devices than `devicesMax` or none,
 * if its app has credentials for none of their platforms, if it is no longer scheduled, or if another worker or a cancel
 * has locked it. One statement both checks and changes the states, so of several workers only one claims each.
 * @param requests with filters for which `isByKey` holds
 * @returns the claimed notifications by id
 */
export async function claimByKey(
  db: Kysely<Database>,
  requests: readonly ClaimRequest[],
  now: Date,
): Promise<Claims> {
  const devices = targetsOf(requests, deviceIdsOf);
  const users = targetsOf(requests, userIdsOf);
  const { rows } = await sql<FoundRow>`${preparedAs('claim_by_key')}
    with ${wanted(requests)}, found as materialized (
      select target.place, ${deviceColumns}
      from unnest(${columns(devices, 'uuid')})
        as target (place, app_id, id)
      join devices as d on d.app_id = target.app_id and d.id = target.id
      union all
      select target.place, d.*
      from unnest(${columns(users, 'text')})
        as target (place, app_id, user_id)
      cross join lateral (
        select ${deviceColumns} from devices as d
        where d.app_id = target.app_id and d.user_id = target.user_id
        order by d.id
        limit (select max(devices_max) + 1 from wanted)
      ) as d
    ), ${claimedOf(now)}`.execute(db);
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
  const { rows } = await sql<FoundRow>`
    with ${wanted([request])}, found as (
      select 1 as place, ${deviceColumns}
      from devices as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: devicesRow(appId), now })}
      order by d.id
      limit ${devicesMax + 1}
    ), ${claimedOf(now)}`.execute(db);
  return byNotification(rows);
}

/** Whether `claimByKey` serves for the audience. */
export function isByKey(filters: readonly Filter[]): boolean {
  const keys = deviceIdsOf(filters) ?? userIdsOf(filters);
  return keys !== undefined && keys.length <= KEYS_MAX;
}

/** Device ids, if the audience is a list of them; undefined otherwise. */
function deviceIdsOf([filter, ...others]: readonly Filter[]): readonly string[] | undefined {
  if (filter?.kind !== 'device_id' || filter.not || others.length > 0) return undefined;
  return filter.criteria.filter(isUuid); // any other text is the id of no device
}

/** User ids, if the audience is a list of them; undefined otherwise. */
function userIdsOf([filter, ...others]: readonly Filter[]): readonly string[] | undefined {
  if (filter?.kind !== 'text' || filter.column !== 'user_id' || filter.not || others.length > 0) {
    return undefined;
  }
  return filter.criteria;
}

/** Keys of devices or users, in columns. */
interface Targets {
  /** The position of the notification, from 1. */
  places: number[];
  appIds: string[];
  keys: string[];
}

function columns({ places, appIds, keys }: Targets, keyType: 'uuid' | 'text'): RawBuilder<unknown> {
  return sql.join([
    listParameter(places, 'int'),
    listParameter(appIds, 'uuid'),
    listParameter(keys, keyType),
  ]);
}

function targetsOf(
  requests: readonly ClaimRequest[],
  keysOf: (filters: readonly Filter[]) => readonly string[] | undefined,
): Targets {
  const targets = requests.flatMap(({ appId, filters }, index) =>
    [...new Set(keysOf(filters))].map((key) => ({ place: index + 1, appId, key })),
  );
  return {
    places: targets.map(({ place }) => place),
    appIds: targets.map(({ appId }) => appId),
    keys: targets.map(({ key }) => key),
  };
}

/** The common table expression `wanted`: the notifications, those that are locked left out. */
function wanted(requests: readonly ClaimRequest[]): RawBuilder<unknown> {
  const appIds = requests.map(({ appId }) => appId);
  const ids = requests.map(({ notificationId }) => notificationId);
  const devicesMax = requests.map((request) => request.devicesMax);
  return sql`wanted as materialized (
      select n.app_id, n.id, request.devices_max, request.place
      from unnest(
        ${listParameter(appIds, 'uuid')}, ${listParameter(ids, 'uuid')}, ${listParameter(devicesMax, 'int')}
      ) with ordinality as request (app_id, id, devices_max, place)
      join notifications as n on n.app_id = request.app_id and n.id = request.id
      where n.state = 'scheduled'
      for no key update of n skip locked
    )`;
}

/** The end of a statement that has `wanted` and `found`. */
function claimedOf(now: Date): RawBuilder<unknown> {
  return sql`counted as (
      select place, count(*) as devices, bool_or(platform = 'iOS') as on_ios, bool_or(platform = 'Android') as on_android
      from found group by place
    ), claimed as (
      update notifications as n
      set state = 'sending', lane = 'direct', started_at = ${now}, devices = counted.devices
      from wanted join counted using (place)
      where n.app_id = wanted.app_id and n.id = wanted.id
        and counted.devices <= wanted.devices_max
        and exists (
          select from gateway_credentials as c
          where c.app_id = wanted.app_id and (c.gateway = 'apns' and counted.on_ios or c.gateway = 'fcm' and counted.on_android)
        )
      returning n.id as notification_id, wanted.place
    )
    select claimed.notification_id, found.id, found.platform, found.push_token, found.push_token_type, found.development
    from claimed join found using (place)
    order by found.id`;
}

function byNotification(rows: readonly FoundRow[]): Claims {
  const claimed = new Map<string, MatchingDevice[]>();
  for (const { notification_id: notificationId, ...device } of rows) {
    const devices = claimed.get(notificationId);
    if (devices === undefined) claimed.set(notificationId, [device]);
    else devices.push(device);
  }
  return claimed;
}
