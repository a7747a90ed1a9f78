/** The statements of pruning. Each changes a bounded number of rows and may be repeated. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../slice-store.ts';

/** Finds notifications that ended before `endedBefore` and are not pruned yet, the oldest first. */
export async function findUnpruned(
  db: Kysely<Database>,
  endedBefore: Date,
  limit: number,
): Promise<NotificationKey[]> {
  return db
    .selectFrom('notifications')
    .select(['app_id as appId', 'id as notificationId'])
    .where('pruned_at', 'is', null)
    .where('ended_at', '<', endedBefore)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
}

/** @returns the number of slices deleted; less than `limit` if none are left */
export async function deleteSlices(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from delivery_slices where (app_id, notification_id, number) in (
      select s.app_id, s.notification_id, s.number
      from ${keysAsTable(keys)}
      join delivery_slices s on s.app_id = old.app_id and s.notification_id = old.id
      limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Deletes opens and adds their number to their notifications, in one statement.
 * @returns the number of opens deleted; less than `limit` if none are left
 */
export async function deleteOpens(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ opens: number }>`
    with gone as (
      delete from opens where (app_id, notification_id, device_id) in (
        select o.app_id, o.notification_id, o.device_id
        from ${keysAsTable(keys)}
        join opens o on o.app_id = old.app_id and o.notification_id = old.id
        limit ${limit}
      ) returning app_id, notification_id
    ), counted as (
      update notifications n set opens_pruned = opens_pruned + g.opens
      from (select app_id, notification_id, count(*) as opens from gone group by 1, 2) g
      where n.app_id = g.app_id and n.id = g.notification_id
    )
    select count(*) as opens from gone`.execute(db);
  return rows[0]?.opens ?? 0;
}

export async function markPruned(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  now: Date,
): Promise<void> {
  await sql`
    update notifications n set pruned_at = ${now}, outcomes = null
    from ${keysAsTable(keys)} where n.app_id = old.app_id and n.id = old.id`.execute(db);
}

function keysAsTable(keys: readonly NotificationKey[]) {
  const appIds = keys.map(({ appId }) => appId);
  const ids = keys.map(({ notificationId }) => notificationId);
  return sql`unnest(${appIds}::uuid[], ${ids}::uuid[]) as old (app_id, id)`;
}
