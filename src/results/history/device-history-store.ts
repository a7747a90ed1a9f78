/**
 * The statements that search recent notifications for the outcomes of one device. Outcomes are packed by slice or by
 * notification, so no index leads from a device to its outcomes: notifications are searched, newest first, a bounded number at
 * a time.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Position } from '../../api/page-cursor.ts';
import { outcomesOfDevice } from './pushes-store.ts';

interface SearchKey {
  appId: string;
  /** A UUID, in lower case. */
  deviceId: string;
  /** The search continues after this notification; undefined: it starts with the newest. */
  after: Position | undefined;
}

/** A number of notifications, newest first. */
export interface Window {
  notifications: number;
  /** How many of them no longer have per-device outcomes. */
  pruned: number;
  /** The oldest one; undefined if there is none. */
  last: Position | undefined;
}

/** Measures the next notifications: at most `limit`, and none older than `until`. */
export async function readWindow(
  db: Kysely<Database>,
  { appId, after, until, limit }: Pick<SearchKey, 'appId' | 'after'> & { until?: Position; limit: number },
): Promise<Window> {
  const { rows } = await sql<{
    notifications: number;
    pruned: number;
    created_at: Date | null;
    id: string | null;
  }>`
    with window_ as (
      select created_at, id, pruned_at from notifications
      where app_id = ${appId} and ${isAfter(after)} and ${isUntil(until)}
      order by created_at desc, id desc
      limit ${limit}
    ), last as (
      select created_at, id from window_ order by created_at, id limit 1
    )
    select (select count(*) from window_) as notifications,
      (select count(*) from window_ where pruned_at is not null) as pruned,
      (select created_at from last) as created_at, (select id from last) as id`.execute(db);
  const [row] = rows;
  if (row === undefined || row.created_at === null || row.id === null) {
    return { notifications: 0, pruned: 0, last: undefined };
  }
  return {
    notifications: row.notifications,
    pruned: row.pruned,
    last: { createdAt: row.created_at, id: row.id },
  };
}

/** A notification that has an outcome for the device. */
export interface FoundOutcome {
  id: string;
  createdAt: Date;
  body: string;
  /** Packed; one of them contains the device's outcome. */
  outcomes: Buffer[];
  openedAt: Date | null;
}

/**
 * Finds the notifications with an outcome for the device, newest first, from `after` to `until`. A notification to another device
 * or user is skipped without reading more.
 */
export async function findOutcomes(
  db: Kysely<Database>,
  { appId, deviceId, after, until, limit }: SearchKey & { until: Position; limit: number },
): Promise<FoundOutcome[]> {
  const { rows } = await sql<FoundOutcome>`
    select n.id, n.created_at as "createdAt", n.body, found.outcomes, o.opened_at as "openedAt"
    from notifications as n
    cross join lateral (select ${outcomesOfDevice(deviceId)} as outcomes) as found
    left join opens as o on o.app_id = n.app_id and o.notification_id = n.id and o.device_id = ${deviceId}::uuid
    where n.app_id = ${appId} and ${isAfter(after)} and ${isUntil(until)}
      and n.started_at is not null and n.pruned_at is null
      and (n.filters is null or n.outcomes is not null or n.filters -> 0 ->> 'name' <> 'device_id'
        or strpos(lower(n.filters::text), ${deviceId}) > 0)
      and cardinality(found.outcomes) > 0
    order by n.created_at desc, n.id desc
    limit ${limit}`.execute(db);
  return rows;
}

/** A row comparison reads one range of the index (`notifications_newest`); two separate conditions would not. */
function isAfter(after: Position | undefined) {
  if (after === undefined) return sql<boolean>`true`;
  return sql<boolean>`(created_at, id) < (${after.createdAt}, ${after.id}::uuid)`;
}

function isUntil(until: Position | undefined) {
  if (until === undefined) return sql<boolean>`true`;
  return sql<boolean>`(created_at, id) >= (${until.createdAt}, ${until.id}::uuid)`;
}
