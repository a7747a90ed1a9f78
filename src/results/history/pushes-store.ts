/**
 * The statements that find pushes by the recipient that a notification names (`notifications_by_recipient`), newest first, and
 * read what became of them.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnParameter, listParameter } from '../../db/prepared.ts';
import type { Database, NotificationsTable } from '../../db/tables.ts';
import type { Position } from '../../api/page-cursor.ts';
import { idsBytes } from '../../delivery/outcomes/packed.ts';
import { targetFilters } from '../../notifications/target-filters.ts';

/** Clocks of processes differ: an earlier user counts for so long after the change. */
const SKEW = '1 hour';

interface Request {
  appId: string;
  /** Texts of `notifications/recipients.ts`. */
  recipients: readonly string[];
  /** Includes the users and addresses that this device had earlier. A UUID, in lower case. */
  alsoEarlierOf?: string | undefined;
  /** The search continues after this notification; undefined: it starts with the newest. */
  after: Position | undefined;
  limit: number;
}

/** @returns notifications that name one of the recipients, newest first; fewer than `limit` if there are no older ones */
export async function findNotifications(
  db: Kysely<Database>,
  { appId, recipients, alsoEarlierOf, after, limit }: Request,
): Promise<Position[]> {
  const isAfter =
    after === undefined
      ? sql`true`
      : sql`(created_at, notification_id) < (${after.createdAt}, ${after.id}::uuid)`;
  const { rows } = await sql<Position>`
    with wanted as materialized (
      select recipient_number(${appId}::uuid, recipient) as number, null::timestamptz as until
      from unnest(${listParameter(recipients, 'text')}) as recipient
      union all
      select recipient, until + ${SKEW}::interval from device_earlier_recipients
      where app_id = ${appId} and device_id = ${alsoEarlierOf ?? null}::uuid
    )
    select distinct found.created_at as "createdAt", found.notification_id as id
    from wanted cross join lateral (
      select on_day.* from days_with_recipients() as day cross join lateral (
        select r.created_at, r.notification_id from notifications_by_recipient as r
        where r.recipient_day = recipient_day(wanted.number, day) and ${isAfter}
          and (wanted.until is null or r.created_at < wanted.until)
        order by r.created_at desc, r.notification_id desc
        limit ${limit}
      ) as on_day
      where ${after === undefined ? sql`true` : sql`day <= day_number(${after.createdAt})`}
      order by created_at desc, notification_id desc
      limit ${limit}
    ) as found
    order by "createdAt" desc, id desc
    limit ${limit}`.execute(db);
  return rows;
}

/** @returns from when on all pushes are found; undefined: all that are kept are */
export async function readMissingBefore(db: Kysely<Database>, appId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ before: Date }>`
    select before from recipients_missing where app_id = ${appId}`.execute(db);
  return rows[0]?.before;
}

/** A notification that has outcomes of the devices, or may still get some. */
export interface FoundNotification {
  id: string;
  createdAt: Date;
  body: string;
  state: NotificationsTable['state'];
  reason: string | null;
  devices: number;
  dueAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** JSON of a `Moment`; null if its devices are all due at once. */
  moment: unknown;
  newestDevice: Date | null;
  /** JSON of the filters of its target. For a device it is null if the notification has ended as `sent`. */
  filters: unknown;
  /** Packed. */
  outcomes: Buffer[];
}

const columns = sql`n.id, n.created_at as "createdAt", n.body, n.state, n.reason, n.devices, n.due_at as "dueAt",
  n.started_at as "startedAt", n.ended_at as "endedAt", n.moment, n.newest_device as "newestDevice"`;

/**
 * The notifications that have an outcome for the device or are not simply sent, in order. Pruned ones are left out. Of a
 * notification with slices it reads one, and of its outcomes only those that contain the device.
 */
export async function readForDevice(
  db: Kysely<Database>,
  { appId, deviceId }: { appId: string; deviceId: string },
  candidates: readonly Position[],
): Promise<FoundNotification[]> {
  const { rows } = await sql<FoundNotification>`
    select ${columns}, found.outcomes, case when n.state <> 'sent' then ${targetFilters} end as filters
    from unnest(${columnParameter(candidates, 'uuid', ({ id }) => id)}) with ordinality as candidate (id, position)
    join notifications as n on n.app_id = ${appId} and n.id = candidate.id
    cross join lateral (select ${outcomesOfDevice(deviceId)} as outcomes) as found
    where n.pruned_at is null and n.state <> 'validated'
      and (n.state <> 'sent' or cardinality(found.outcomes) > 0)
    order by candidate.position`.execute(db);
  return rows;
}

/** How many slices of a notification are read: a person has few devices, so there is one, or one per wave. */
const SLICES_MAX = 8;

/** The same with the outcomes of all devices, for notifications that name a user or an address. */
export async function readForUser(
  db: Kysely<Database>,
  appId: string,
  candidates: readonly Position[],
): Promise<FoundNotification[]> {
  const { rows } = await sql<FoundNotification>`
    select ${columns}, ${targetFilters} as filters, case when n.outcomes is not null then array[n.outcomes] else array(
      select s.outcomes from delivery_slices as s
      where s.app_id = n.app_id and s.notification_id = n.id and s.number < ${sql.lit(SLICES_MAX)} and s.outcomes is not null
      union all
      select p.outcomes from delivery_progress as p
      where p.app_id = n.app_id and p.notification_id = n.id and p.number < ${sql.lit(SLICES_MAX)}
    ) end as outcomes
    from unnest(${columnParameter(candidates, 'uuid', ({ id }) => id)}) with ordinality as candidate (id, position)
    join notifications as n on n.app_id = ${appId} and n.id = candidate.id
    where n.pruned_at is null
    order by candidate.position`.execute(db);
  return rows;
}

/** When the devices reported that they opened the notifications, by `<notification> <device>`. */
export async function readOpens(
  db: Kysely<Database>,
  appId: string,
  pairs: readonly { notificationId: string; deviceId: string }[],
): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await sql<{ key: string; at: Date }>`
    select o.notification_id || ' ' || o.device_id as key, o.opened_at as at
    from unnest(
      ${columnParameter(pairs, 'uuid', (pair) => pair.notificationId)},
      ${columnParameter(pairs, 'uuid', (pair) => pair.deviceId)}
    ) as wanted (notification_id, device_id)
    join opens as o on o.app_id = ${appId} and o.notification_id = wanted.notification_id and o.device_id = wanted.device_id`.execute(
    db,
  );
  return new Map(rows.map(({ key, at }) => [key, at]));
}

/** @returns the ids of devices that have the user or the e-mail address now, the newest first */
export async function findDeviceIds(
  db: Kysely<Database>,
  { appId, by, value, limit }: { appId: string; by: 'user_id' | 'user_email'; value: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('devices')
    .select('id')
    .where('app_id', '=', appId)
    .where(by, '=', value)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * SQL array: the packed outcomes of the notification `n` that contain the device. Its slice is found by number, because slices
 * are equal ranges of ids (`start/id-ranges.ts`); the ranges around it are compared as well, because a double computes the number.
 */
function outcomesOfDevice(deviceId: string): RawBuilder<Buffer[]> {
  const idBytes = idsBytes([deviceId]);
  const share = Number(`0x${deviceId.replaceAll('-', '')}`) / 2 ** 128;
  const has = (packed: string) => sql`position(${idBytes}::bytea in ${sql.raw(packed)}) > 0`;
  return sql<Buffer[]>`array(
    select n.outcomes where ${has('n.outcomes')}
    union all
    select kept.packed
    from (
      select max(number) + 1 as slices from delivery_slices where app_id = n.app_id and notification_id = n.id
    ) as cut
    join delivery_slices as s on s.app_id = n.app_id and s.notification_id = n.id
      -- Each wave has slices of its own.
      and (n.planned_in is not null
        or s.number between floor(${share}::float8 * cut.slices) - 1 and floor(${share}::float8 * cut.slices) + 1)
      and s.first_id <= ${deviceId}::uuid and s.last_id >= ${deviceId}::uuid
    cross join lateral (
      select s.outcomes as packed
      union all
      select p.outcomes from delivery_progress as p
      where p.app_id = s.app_id and p.notification_id = s.notification_id and p.number = s.number
    ) as kept
    where n.outcomes is null and ${has('kept.packed')}
  )`;
}
