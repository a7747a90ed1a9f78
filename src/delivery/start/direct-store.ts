/**
 * The statements of the direct path. Each works on many notifications: one reads those that are due, one claims them
 * and reads their devices. `claim-store.ts` says what a claim is.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  CAN_BE_SENT,
  DEVICES_AS_JSON,
  DEVICES_BY_KEY,
  type DeviceKey,
  devicesOf,
} from '../../targeting/devices-by-key.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { fewRows, listParameter, preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { mustKeepFilters, targetFilters } from '../../notifications/target-filters.ts';
import { isScheduled } from '../../unended.ts';
import { isDue } from './due.ts';
import type { NotificationKey } from '../slice-store.ts';

/** A due notification that no worker has started. */
export interface DueNotification extends NotificationKey {
  /** Null if it or its filters are longer than a target of few devices needs. */
  body: string | null;
  encryptedBody: Buffer | null;
  due_at: Date;
  origin: Origin;
  /** JSON of the filters of its target; null where `body` is. */
  filters: unknown;
  /** Whether a claim must store them, because its audience was edited. */
  mustKeepFilters: boolean;
  /** Whether its devices are due at different moments. */
  hasMoment: boolean;
}

export interface DueRequest {
  now: Date;
  /** Those that were due earlier are not searched for. */
  from: Date;
  limit: number;
  /** Ids of notifications to leave out. */
  except: readonly string[];
}

/** A hundred notifications may each have a megabyte of filters, or of translations. */
const BYTES_MAX = 32_768;

/** Reads due notifications that no worker has started, the longest overdue first. */
export async function readDueNotifications(
  db: Kysely<Database>,
  { now, from, limit, except }: DueRequest,
): Promise<DueNotification[]> {
  const rows = await db
    .selectFrom('notifications as n')
    .modifyFront(preparedAs('read_due_notifications'))
    .select(['n.app_id', 'n.id', 'n.due_at', ...originColumns])
    .select([upTo(unlessLong(sql<string>`n.body`)).as('body'), upTo(targetFilters).as('filters')])
    .select(unlessLong(sql<Buffer | null>`n.encrypted_body`).as('encrypted_body'))
    .select([sql<boolean>`n.moment is not null`.as('has_moment'), mustKeepFilters.as('must_keep_filters')])
    .where(isScheduled('n'))
    .where('n.due_at', '>=', from)
    .where(isDue(now))
    .where(sql<boolean>`n.id <> all(${listParameter(except, 'uuid')})`)
    .orderBy('n.due_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    appId: row.app_id,
    notificationId: row.id,
    body: row.filters === null ? null : row.body,
    encryptedBody: row.encrypted_body,
    due_at: row.due_at,
    origin: originOf(row),
    filters: row.body === null ? null : row.filters,
    mustKeepFilters: row.must_keep_filters,
    hasMoment: row.has_moment,
  }));
}

/** @returns the value, or null if it is longer */
function upTo<Value>(value: RawBuilder<Value>): RawBuilder<Value | null> {
  return sql`(select case when octet_length(v.value::text) <= ${sql.lit(BYTES_MAX)} then v.value end
    from (select ${value} as value) as v)`;
}

/** @returns the value, or null if the encrypted body is too long */
function unlessLong<Value>(value: RawBuilder<Value>): RawBuilder<Value> {
  return sql`case when coalesce(octet_length(n.encrypted_body), 0) <= ${sql.lit(BYTES_MAX)} then ${value} end`;
}

export interface ClaimRequest extends NotificationKey {
  key: DeviceKey;
  devicesMax: number;
  /** Its filters, if they must be stored. */
  keptFilters?: unknown;
}

/**
 * The devices of claimed notifications, sorted by id, by the id of the notification. An empty list: the notification
 * has ended.
 */
export type Claims = ReadonlyMap<string, readonly MatchingDevice[]>;

/**
 * Claims notifications that each go to few devices or to the devices of few users: sets their state to `sending` and
 * their lane to `direct`. A notification to no device ends at once. It is left unchanged if it has more devices than
 * `devicesMax`, if its app has credentials for none of their platforms, if it is no longer scheduled, or if another
 * worker or a cancel has locked it. One statement both checks and changes the states, so of several workers only one
 * claims each.
 *
 * The state is checked after the row was locked: with a condition on it, the planner would scan for the state instead
 * of looking up each row by its key.
 */
export async function claimByKey(
  db: Kysely<Database>,
  requests: readonly ClaimRequest[],
  now: Date,
): Promise<Claims> {
  const json = stringifyJson(
    requests.map(({ appId, notificationId, key, devicesMax, keptFilters }) => ({
      app_id: appId,
      id: notificationId,
      devices_max: devicesMax,
      device_ids: key.deviceIds,
      user_ids: key.userIds,
      planned_filters: keptFilters,
    })),
  );
  const { rows } = await sql<ClaimedRow>`${preparedAs('claim_by_key')}
    with wanted as materialized (
      select n.app_id, n.id, n.state, request.devices_max, request.device_ids, request.user_ids, request.planned_filters
      from rows from (json_to_recordset(${json}) as (
        app_id uuid, id uuid, devices_max int, device_ids uuid[], user_ids text[], planned_filters jsonb
      )) with ordinality as request (app_id, id, devices_max, device_ids, user_ids, planned_filters, position)
      join notifications as n on n.app_id = request.app_id and n.id = request.id
      where ${fewRows}
      for no key update of n skip locked
    ), ready as materialized (
      select wanted.app_id, wanted.id, wanted.planned_filters, found.count, found.devices
      from wanted cross join lateral (
        select ${sql.raw(DEVICES_AS_JSON)} from (${sql.raw(DEVICES_BY_KEY)}) as device
      ) as found
      where wanted.state = 'scheduled' and ${sql.raw(CAN_BE_SENT)}
    )
    update notifications as n
    set state = case ready.count when 0 then 'sent' else 'sending' end, lane = 'direct', devices = ready.count,
      started_at = ${now}, ended_at = case ready.count when 0 then ${now}::timestamptz end,
      encrypted_body = case ready.count when 0 then null else n.encrypted_body end,
      planned_filters = ready.planned_filters
    from ready
    where n.app_id = ready.app_id and n.id = ready.id
    returning n.id, ready.devices`.execute(db);
  return new Map(rows.map(({ id, devices }) => [id, devicesOf(devices)]));
}

interface ClaimedRow {
  id: string;
  /** JSON; null if there are none. */
  devices: string | null;
}
