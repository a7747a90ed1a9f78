/** The statements of the search: packed outcomes in the order of device ids, and attributes of devices. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { type GatewayName, gatewaySql } from '../../route.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';

/** @returns the outcomes of a notification without slices; undefined if the app has no such notification */
export async function readWholeOutcomes(db: Kysely<Database>, { appId, notificationId }: NotificationKey) {
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
  { appId, notificationId }: NotificationKey,
  { after, kind, limit }: { after: SearchPosition; kind: OutcomeKind | undefined; limit: number },
): Promise<PackedRange[]> {
  const { rows } = await sql<PackedRange>`
    select s.number, s.last_id as "lastId", array(select s.outcomes where s.outcomes is not null) || array(
      select p.outcomes from delivery_progress as p
      where p.app_id = s.app_id and p.notification_id = s.notification_id and p.number = s.number
    ) as packed
    from delivery_slices as s
    where s.app_id = ${appId} and s.notification_id = ${notificationId} and (s.number > ${after.slice} or (s.number = ${after.slice} and s.last_id > ${after.afterId}::uuid))
      and (${kind === undefined} or s.state <> 'done' or s.tally is null or s.tally ? ${kind ?? ''})
    order by s.number
    limit ${limit}`.execute(db);
  return rows;
}

/** The present attributes of devices, in any order; erased ones are missing. */
export async function readSearchedDevices(db: Kysely<Database>, appId: string, ids: readonly string[]) {
  return db
    .selectFrom('devices')
    .select(['id', 'platform', 'app_version', 'user_id', 'marketing_name'])
    .select(sql<GatewayName>`${sql.raw(gatewaySql('devices'))}`.as('gateway'))
    .where('app_id', '=', appId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}
