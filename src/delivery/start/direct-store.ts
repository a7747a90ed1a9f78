/** The statements of the direct path: two before the first push, of which the first is for a whole batch. */
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
import { FIRST_UUID, LAST_UUID } from '../../uuid.ts';
import type { IdRange } from './id-ranges.ts';
import { leaseEnd, type LeasedSlice, type NotificationKey } from '../slice-store.ts';

/** A notification that is due and that nobody has started, with all that its delivery needs. */
export interface DueNotification extends NotificationKey {
  body: string;
  due_at: Date;
  origin: Origin;
  bundleId: string;
  android: AndroidSettings;
  /** As the audience stores them. */
  filters: unknown;
  /** The credentials that the app has. */
  credentials: CredentialVersion[];
}

export interface DueRequest {
  now: Date;
  limit: number;
  /** Ids of notifications to leave out. */
  except: readonly string[];
}

/** Reads notifications that are due and that nobody has started, the longest overdue first. */
export async function readDueNotifications(
  db: Kysely<Database>,
  { now, limit, except }: DueRequest,
): Promise<DueNotification[]> {
  const rows = await db
    .selectFrom('notifications as n')
    .modifyFront(preparedAs('read_due_notifications'))
    .innerJoin('apps', 'apps.id', 'n.app_id')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.app_id', '=', 'n.app_id').onRef('a.id', '=', 'n.audience_id'),
    )
    .select((build) => [
      'n.app_id',
      'n.id',
      'n.body',
      'n.due_at',
      ...originColumns,
      'apps.bundle_id',
      ...androidColumns,
      'a.filters',
      jsonArrayFrom(
        build
          .selectFrom('gateway_credentials as c')
          .select(['c.gateway', 'c.environment', 'c.version'])
          .select(routeStatesJson({ appId: sql.ref('c.app_id'), version: sql.ref('c.version') }).as('routes'))
          .whereRef('c.app_id', '=', 'n.app_id'),
      ).as('credentials'),
    ])
    // A literal: with a parameter in its place, a prepared statement could not use the partial index.
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
  /** Platforms that the app has credentials for; a claim needs a device of one of them. */
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
 * Starts a notification for at most `devicesMax` devices: sets it to sending, in the direct lane, with one slice that is
 * leased to the caller. One statement checks and changes the state, so of two workers, or a worker and a cancel, at the
 * same moment exactly one succeeds.
 * @returns undefined, with nothing changed, where the audience is larger, empty or has no device of `platforms`, or
 *   where the notification is not scheduled any more
 */
export async function claimNotification(
  db: Kysely<Database>,
  { appId, notificationId, origin, filters, platforms, devicesMax, now }: ClaimRequest,
): Promise<Claim | undefined> {
  const { firstId, lastId } = ALL_IDS;
  // In the order of the primary key: of everyone, Postgres then reads the first few and stops.
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

/** Nearly all single pushes are to a device or to a user: their statement is one text, whatever the values. */
function preparedClaim([filter, ...others]: readonly Filter[]) {
  if (filter === undefined || filter.not || others.length > 0) return sql``;
  const isOne = filter.criteria.length === 1;
  if (filter.kind === 'device_id') return preparedAs(isOne ? 'claim_for_device' : 'claim_for_devices');
  const isUser = filter.kind === 'text' && filter.column === 'user_id' && isOne;
  return isUser ? preparedAs('claim_for_user') : sql``;
}
