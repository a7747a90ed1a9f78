/** What the short walk asks of the database: one statement before the first push, or two. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CredentialVersion } from '../apps/credentials.ts';
import { filtersOfAudience } from '../audiences/audience-store.ts';
import { compileFilters } from '../audiences/compile.ts';
import type { Filter } from '../audiences/filter.ts';
import type { MatchingDevice } from '../audiences/matching-devices.ts';
import { preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import { type Origin, originOf } from '../notifications/origin.ts';
import { UUID_PATTERN } from '../uuid.ts';
import type { IdRange } from './id-ranges.ts';
import { leaseEnd, type LeasedSlice, type NotificationKey } from './slice-store.ts';

/** A notification that is due and that nobody has started, with all that its delivery needs. */
export interface DueNotification {
  id: string;
  body: string;
  due_at: Date;
  origin: Origin;
  bundleId: string;
  filters: Filter[];
  /** The gateways that the app has credentials for. */
  credentials: CredentialVersion[];
}

export interface TakenNotification {
  due: DueNotification;
  /** The statement knew whom it is for, so there is no use in another that asks. */
  isPlain: boolean;
  /** It has been started, and is the caller's to deliver. */
  claim: Claim | undefined;
}

/** What a row says of the keys that must be read with care before anything is sent. */
const saysNothingOf = (key: string) => sql`position(${sql.lit(`"${key}"`)} in n.body) = 0`;

/**
 * Reads a notification that is due, and where it is plain starts it with the same statement, as `claimNotification`
 * would: for one device or the devices of one user, with no rules for its sending. Nearly all that somebody waits for
 * are, and each trip to the database is a turn behind a broadcast.
 * @param devicesMax more than that are not for the short walk
 * @returns undefined where it is not due, or started or ended already
 */
export async function takeDueNotification(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  { devicesMax, now }: { devicesMax: number; now: Date },
): Promise<TakenNotification | undefined> {
  const { rows } = await sql<DueRow>`${preparedAs('take_due_notification')}
    with due as materialized (
      select n.id, n.body, n.due_at, n.request_id, n.traceparent, apps.bundle_id, a.filters,
        ${saysNothingOf('dry_run')} and ${saysNothingOf('max_recipients')}
          and a.filters @> '[{"not_filter": false}]'
          and jsonb_array_length(a.filters) = 1 and jsonb_array_length(a.filters #> '{0,criteria}') = 1
          and a.filters #>> '{0,name}' in ('device_id', 'user_id') as is_plain,
        a.filters #>> '{0,name}' as name,
        a.filters #>> '{0,criteria,0}' as criterion
      from notifications as n
      join apps on apps.id = n.app_id
      join audiences as a on a.app_id = n.app_id and a.id = n.audience_id
      where n.app_id = ${appId} and n.id = ${notificationId} and n.state = 'scheduled' and n.due_at <= ${now}
    ), credentials as materialized (
      select gateway, version from gateway_credentials where app_id = ${appId}
    ), plain as materialized (
      select case when name = 'device_id' and criterion ~ ${sql.lit(UUID_PATTERN)} then criterion::uuid end as device_id,
        case when name = 'user_id' then criterion end as user_id
      from due where is_plain
    ), found as materialized (
      select d.id, d.platform, d.push_token, d.development
      from plain join devices as d on d.app_id = ${appId} and d.id = plain.device_id
      union all
      select d.id, d.platform, d.push_token, d.development
      from plain join devices as d on d.app_id = ${appId} and d.user_id = plain.user_id
      limit ${devicesMax + 1}
    ), ${claimed(
      { appId, notificationId, devicesMax, now },
      sql`exists (
          select from found join credentials
            on gateway = case platform when 'iOS' then 'apns' else 'fcm' end
        )`,
    )}
    select due.id, body, due_at, request_id, traceparent, bundle_id, filters, is_plain,
      claimed.id is not null as is_claimed,
      (select coalesce(json_agg(credentials), '[]') from credentials) as credentials,
      (select coalesce(json_agg(found order by id), '[]') from found) as devices
    from due left join claimed on true`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, body, due_at, bundle_id: bundleId, credentials, devices } = row;
  const origin = originOf(row);
  const due = { id, body, due_at, origin, bundleId, filters: filtersOfAudience(row.filters), credentials };
  const claim = row.is_claimed
    ? { slice: firstSlice({ appId, notificationId }, origin), devices }
    : undefined;
  return { due, isPlain: row.is_plain, claim };
}

interface DueRow {
  id: string;
  body: string;
  due_at: Date;
  request_id: string | null;
  traceparent: string | null;
  bundle_id: string;
  filters: unknown;
  is_plain: boolean;
  is_claimed: boolean;
  credentials: CredentialVersion[];
  /** Sorted by id. */
  devices: MatchingDevice[];
}

export interface ClaimRequest extends NotificationKey {
  origin: Origin;
  filters: readonly Filter[];
  /** Of which there are credentials; a claim needs a device of one of them. */
  platforms: readonly MatchingDevice['platform'][];
  devicesMax: number;
  now: Date;
}

export interface Claim {
  slice: LeasedSlice;
  /** All of the audience, sorted by id. */
  devices: MatchingDevice[];
}

const ALL_IDS: IdRange = {
  firstId: '00000000-0000-0000-0000-000000000000',
  lastId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/**
 * Starts a notification for at most `devicesMax` devices: it is sending, in the direct lane, and has one slice,
 * which is leased to the caller. One statement that asks for the state it changes: of two workers, or a worker
 * and a cancel, at the same moment exactly one has its way.
 * @returns undefined, with nothing changed, where the audience is larger or empty or out of reach of `platforms`,
 *   or where somebody else was first
 */
export async function claimNotification(
  db: Kysely<Database>,
  { appId, notificationId, origin, filters, platforms, devicesMax, now }: ClaimRequest,
): Promise<Claim | undefined> {
  // In the order of the primary key: of everyone, Postgres then reads the first few and stops.
  const { rows: devices } = await sql<MatchingDevice>`${preparedClaim(filters)}
    with found as (
      select d.id, d.platform, d.push_token, d.development
      from devices as d
      where d.app_id = ${appId} and ${compileFilters(filters, { appId, now })}
      order by d.id
      limit ${devicesMax + 1}
    ), ${claimed(
      { appId, notificationId, devicesMax, now },
      sql`exists (select from found where platform = any(${platforms}::text[]))`,
    )}
    select found.* from found cross join claimed order by found.id`.execute(db);
  if (devices.length === 0) return undefined;
  return { slice: firstSlice({ appId, notificationId }, origin), devices };
}

/**
 * The common table expressions that start a notification for the devices in `found`, if these are not too many and
 * `isReachable`, and lease its one slice. `claimed` is empty where they have not.
 */
function claimed(
  { appId, notificationId, devicesMax, now }: NotificationKey & { devicesMax: number; now: Date },
  isReachable: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { firstId, lastId } = ALL_IDS;
  return sql`claimed as (
      update notifications
      set state = 'sending', lane = 'direct', started_at = ${now}, slices_left = 1,
        devices = (select count(*) from found)
      where app_id = ${appId} and id = ${notificationId} and state = 'scheduled'
        and (select count(*) from found) between 1 and ${devicesMax} and ${isReachable}
      returning app_id, id
    ), leased as (
      insert into delivery_slices
        (app_id, notification_id, number, first_id, last_id, state, not_before, attempt, lease_until)
      select app_id, id, 0, ${firstId}, ${lastId}, 'leased', ${now}, 1, ${leaseEnd(now)} from claimed
    )`;
}

function firstSlice(key: NotificationKey, origin: Origin): LeasedSlice {
  return { ...key, number: 0, attempt: 1, origin, ...ALL_IDS, earlier: [] };
}

/** A list of devices is one text, whatever their ids. */
function preparedClaim([filter, ...others]: readonly Filter[]) {
  const isPrepared =
    filter?.kind === 'device_id' && !filter.not && filter.criteria.length > 1 && others.length === 0;
  return isPrepared ? preparedAs('claim_for_devices') : sql``;
}
