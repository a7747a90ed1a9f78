/** The statements of the search: packed outcomes in the order of device ids, and attributes of devices. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { type GatewayName, gatewaySql, type Platform } from '../../route.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';

export interface SearchedNotification {
  appId: string;
  notificationId: string;
}

export interface NotificationOutcomes {
  prunedAt: Date | null;
  /** Packed outcomes of a notification without slices. */
  outcomes: Buffer | null;
}

/** @returns undefined if the app has no such notification */
export async function readWholeOutcomes(
  db: Kysely<Database>,
  { appId, notificationId }: SearchedNotification,
): Promise<NotificationOutcomes | undefined> {
  return db
    .selectFrom('notifications')
    .select(['pruned_at as prunedAt', 'outcomes'])
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .executeTakeFirst();
}

/** A range of device ids with the outcomes that are saved for it. */
export interface PackedRange {
  /** The number of its slice. */
  number: number;
  lastId: string;
  packed: Buffer[];
}

/** The search goes on after this device of this slice. */
export interface SearchPosition {
  slice: number;
  afterId: string;
}

/**
 * Reads the next slices in the order of their numbers. This is the order of device ids, with waves only within each
 * wave.
 * @param kind slices that certainly have no such outcome are left out
 */
export async function readRanges(
  db: Kysely<Database>,
  { appId, notificationId }: SearchedNotification,
  { after, kind, limit }: { after: SearchPosition; kind: OutcomeKind | undefined; limit: number },
): Promise<PackedRange[]> {
  const { rows } = await sql<{ number: number; lastId: string; outcomes: Buffer | null; parts: Buffer[] }>`
    select s.number, s.last_id as "lastId", s.outcomes, array(
      select p.outcomes from delivery_progress as p
      where p.app_id = s.app_id and p.notification_id = s.notification_id and p.number = s.number
    ) as parts
    from delivery_slices as s
    where s.app_id = ${appId} and s.notification_id = ${notificationId} and (s.number > ${after.slice} or (s.number = ${after.slice} and s.last_id > ${after.afterId}::uuid))
      and (${kind === undefined} or s.state <> 'done' or s.tally is null or s.tally ? ${kind ?? ''})
    order by s.number
    limit ${limit}`.execute(db);
  return rows.map(({ number, lastId, outcomes, parts }) => ({
    number,
    lastId,
    packed: outcomes === null ? parts : [outcomes, ...parts],
  }));
}

export interface SearchedDevice {
  platform: Platform;
  gateway: GatewayName;
  appVersion: string | null;
  userId: string | null;
  model: string | null;
}

/** The present attributes of devices, by id; erased ones are missing. */
export async function readSearchedDevices(
  db: Kysely<Database>,
  appId: string,
  ids: readonly string[],
): Promise<Map<string, SearchedDevice>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('devices')
    .select(['id', 'platform', 'app_version as appVersion', 'user_id as userId', 'marketing_name as model'])
    .select(sql<GatewayName>`${sql.raw(gatewaySql('devices'))}`.as('gateway'))
    .where('app_id', '=', appId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, ...device }) => [id, device]));
}
