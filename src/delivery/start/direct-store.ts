/**
 * The statements of the direct path. Two run before the first push: one reads a batch of due notifications, the other
 * claims a single one.
 */
import { type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { androidColumns, type AndroidSettings, androidSettingsOf } from '../../apps/android-settings.ts';
import type { CredentialVersion } from '../../apps/credentials.ts';
import { routeStatesJson } from '../../apps/route-states.ts';
import { compileFilters } from '../../targeting/rows/compile.ts';
import { devicesRow } from '../../targeting/rows/row.ts';
import type { Filter } from '../../filters/filter.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { type Origin, originColumns, originOf } from '../../notifications/origin.ts';
import { targetFilters } from '../../notifications/target-filters.ts';
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import type { IdRange } from './id-ranges.ts';
import { leaseEnd, type LeasedSlice, type NotificationKey } from '../slice-store.ts';

/** A due notification that no worker has started, with everything that its delivery needs. */
export interface DueNotification extends NotificationKey {
  body: string;
  due_at: Date;
  origin: Origin;
  bundleId: string;
  android: AndroidSettings;
  /** JSON of the filters of its target. */
  filters: unknown;
  /** The app's credentials. */
  credentials: CredentialVersion[];
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
    .innerJoin('apps', 'apps.id', 'n.app_id')
    .select((build) => [
      'n.app_id',
      'n.id',
      'n.body',
      'n.due_at',
      ...originColumns,
      'apps.bundle_id',
      ...androidColumns,
      targetFilters.as('filters'),
      jsonArrayFrom(
        build
          .selectFrom('gateway_credentials as c')
          .select(['c.gateway', 'c.environment', 'c.version'])
          .select(routeStatesJson({ appId: sql.ref('c.app_id'), version: sql.ref('c.version') }).as('routes'))
          .whereRef('c.app_id', '=', 'n.app_id'),
      ).as('credentials'),
    ])
    // A literal, because a prepared statement with a parameter here could not use the partial index.
    .where('n.state', '=', sql.lit('scheduled'))
    .where('n.due_at', '<=', now)
    .where(sql<boolean>`n.id <> all(${except}::uuid[])`)
    .orderBy('n.due_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    appId: row.app_id,
    notificationId: row.id,
    body: row.body,
    due_at: row.due_at,
    origin: originOf(row),
    bundleId: row.bundle_id,
    android: androidSettingsOf(row),
    filters: row.filters,
    credentials: row.credentials,
  }));
}

export interface ClaimRequest extends NotificationKey {
  origin: Origin;
  filters: readonly Filter[];
  /** Platforms that the app has credentials for. The audience must have a device of one of them. */
  platforms: readonly MatchingDevice['platform'][];
  devicesMax: number;
  now: Date;
}

export interface Claim {
  slice: LeasedSlice;
  /** All devices of the audience, sorted by id. */
  devices: MatchingDevice[];
}

const ALL_IDS: IdRange = { firstId: FIRST_UUID, lastId: LAST_UUID };

/**
 * Starts a notification for at most `devicesMax` devices: sets its state to `sending` and its lane to `direct`, and
 * leases its only slice to the caller. One statement both checks and changes the state. So if two workers, or a worker
 * and a cancel, try it at the same moment, exactly one succeeds.
 * @returns undefined, with nothing changed, if the audience is larger, is empty or has no device of `platforms`, or if
 *   the notification is no longer scheduled
 */
export async function claimNotification(
  db: Kysely<Database>,
  { appId, notificationId, origin, filters, platforms, devicesMax, now }: ClaimRequest,
): Promise<Claim | undefined> {
  const { firstId, lastId } = ALL_IDS;
  // Sorted by the primary key: for an audience of everyone, Postgres then reads the first few rows and stops.
  const { rows: devices } = await sql<MatchingDevice>`${preparedClaim(filters)}
    with found as (
      select d.id, d.platform, d.push_token, d.push_token_type, d.development
      from devices as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: devicesRow(appId), now })}
      order by d.id
      limit ${devicesMax + 1}
    ), claimed as (
      update notifications
      set state = 'sending', lane = 'direct', started_at = ${now}, slices_left = 1,
        devices = (select count(*) from found)
      where app_id = ${appId} and id = ${notificationId} and state = 'scheduled'
        and (select count(*) from found) between 1 and ${devicesMax}
        and exists (select from found where platform = any(${platforms}::text[]))
      returning app_id, id
    ), leased as (
      insert into delivery_slices
        (app_id, notification_id, number, first_id, last_id, state, not_before, attempt, lease_until)
      select app_id, id, 0, ${firstId}, ${lastId}, 'leased', ${now}, 1, ${leaseEnd(now)} from claimed
    )
    select found.* from found cross join claimed order by found.id`.execute(db);
  if (devices.length === 0) return undefined;
  return {
    slice: { appId, notificationId, number: 0, attempt: 1, origin, firstId, lastId, earlier: [] },
    devices,
  };
}

/**
 * Names a prepared statement for pushes to devices or to a user, which nearly all single pushes are: the text of the
 * statement is the same for all values.
 */
function preparedClaim([filter, ...others]: readonly Filter[]) {
  if (filter === undefined || filter.not || others.length > 0) return sql``;
  const isOne = filter.criteria.length === 1;
  if (filter.kind === 'device_id') return preparedAs(isOne ? 'claim_for_device' : 'claim_for_devices');
  const isUser = filter.kind === 'text' && filter.column === 'user_id' && isOne;
  return isUser ? preparedAs('claim_for_user') : sql``;
}
