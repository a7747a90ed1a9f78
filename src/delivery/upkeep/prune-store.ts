/** The statements of pruning. Each changes a bounded number of rows and may be repeated. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PERIOD_MS_MAX } from '../../apps/frequency-caps.ts';
import type { Database } from '../../db/tables.ts';
import { outcomeKinds } from '../outcomes/packed.ts';
import { VARIANT_SEPARATOR } from '../outcomes/reason-and-variant.ts';
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

/**
 * Deletes slices; the sums of A/B tests by variant stay.
 * @returns the number of slices deleted; less than `limit` if none are left
 */
export async function deleteSlices(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  const columns = outcomeKinds.map((kind) => sql.ref(kind));
  const { rows } = await sql<{ slices: number }>`
    with gone as (
      delete from delivery_slices where (app_id, notification_id, number) in (
        select s.app_id, s.notification_id, s.number
        from ${keysAsTable(keys)}
        join delivery_slices s on s.app_id = old.app_id and s.notification_id = old.id
        limit ${limit}
      ) returning app_id, notification_id, tally
    ), counted as (
      insert into variant_counts as c (app_id, notification_id, variant, ${sql.join(columns)})
      select app_id, notification_id, split_part(reason.key, ${VARIANT_SEPARATOR}, 2),
        ${sql.join(outcomeKinds.map((kind) => sql`coalesce(sum(reason.value::bigint) filter (where outcome.key = ${kind}), 0)`))}
      from gone, jsonb_each(gone.tally) as outcome, jsonb_each_text(outcome.value) as reason
      where strpos(reason.key, ${VARIANT_SEPARATOR}) > 0
      group by 1, 2, 3
      on conflict (app_id, notification_id, variant) do update set
        ${sql.join(columns.map((column) => sql`${column} = c.${column} + excluded.${column}`))}
    )
    select count(*) as slices from gone`.execute(db);
  return rows[0]?.slices ?? 0;
}

/** Deletes their troubles; few notifications have any. */
export async function deleteTroubles(db: Kysely<Database>, keys: readonly NotificationKey[]): Promise<void> {
  await sql`delete from notification_troubles as t using ${keysAsTable(keys)}
    where t.app_id = old.app_id and t.notification_id = old.id`.execute(db);
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
      ) returning app_id, notification_id, variant
    ), by_variant as (
      insert into variant_counts as c (app_id, notification_id, variant, opened)
      select app_id, notification_id, variant, count(*) from gone where variant is not null group by 1, 2, 3
      on conflict (app_id, notification_id, variant) do update set opened = c.opened + excluded.opened
    ), counted as (
      update notifications n set opens_pruned = opens_pruned + g.opens
      from (select app_id, notification_id, count(*) as opens from gone group by 1, 2) g
      where n.app_id = g.app_id and n.id = g.notification_id
    )
    select count(*) as opens from gone`.execute(db);
  return rows[0]?.opens ?? 0;
}

/**
 * Deletes the marks of receipts; their sums stay.
 * @returns the number of marks deleted; less than `limit` if none are left
 */
export async function deleteReceiptMarks(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  return deleteByKey(db, { table: 'receipt_marks', column: 'slice' }, keys, limit);
}

/** Deletes Apple's ids of pushes; there are few, because they are of development devices. */
export async function deleteUniqueIds(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  return deleteByKey(db, { table: 'apns_unique_ids', column: 'device_id' }, keys, limit);
}

/** @param from the table, and the last column of its primary key, after those of the notification */
async function deleteByKey(
  db: Kysely<Database>,
  from: { table: string; column: string },
  keys: readonly NotificationKey[],
  limit: number,
): Promise<number> {
  const [table, column] = [sql.ref(from.table), sql.ref(from.column)];
  const { numAffectedRows } = await sql`
    delete from ${table} where (app_id, notification_id, ${column}) in (
      select child.app_id, child.notification_id, child.${column}
      from ${keysAsTable(keys)}
      join ${table} as child on child.app_id = old.app_id and child.notification_id = old.id
      limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Deletes rows that no notification holds.
 * @param key the primary key of the table
 * @param which the query for them, from the name of the table on
 * @returns the number of rows deleted; less than `limit` if none are left
 */
async function deleteSome(
  db: Kysely<Database>,
  table: string,
  key: readonly string[],
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from ${which} limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/**
 * Earlier time zones and quiet hours of devices that no unfinished notification needs. Those of the last hour
 * stay, for a notification that is just being planned.
 */
export async function deleteMomentChanges(db: Kysely<Database>, limit: number): Promise<number> {
  const which = sql`device_moment_changes as c
    where changed_at < now() - interval '1 hour' and not exists (
      select from notifications as n
      where n.app_id = c.app_id and n.state = 'sending' and n.planned_in is not null
        and not pg_visible_in_snapshot(c.written_in, n.planned_in)
    )
    order by changed_at`;
  return deleteSome(db, 'device_moment_changes', ['app_id', 'device_id', 'number'], which, limit);
}

/**
 * The uses of frequency caps by users and devices whose uses are all older than the longest period. It reads
 * all rows.
 */
export async function deleteOldUses(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const which = sql`cap_uses where not exists (
    select from jsonb_array_elements(uses) as used
    where (used ->> 'at')::bigint > ${now.getTime() - PERIOD_MS_MAX}::bigint
  )`;
  return deleteSome(db, 'cap_uses', ['app_id', 'subject', 'cap_group'], which, limit);
}

/** iOS shows an activity for 12 hours at most, and nothing is sent to it after that (`ACTIVITY_SECONDS_MAX`). */
const ACTIVITY_KEPT_MS = 48 * 60 * 60_000;

/** The tokens of Live Activities that have ended. */
export async function deleteActivityTokens(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const which = sql`named_tokens
    where type = 'live_activity' and presented_at < ${new Date(now.getTime() - ACTIVITY_KEPT_MS)} order by presented_at`;
  return deleteSome(db, 'named_tokens', ['app_id', 'type', 'name', 'device_id'], which, limit);
}

/** The updates of Live Activities that have ended. */
export async function deleteActivityPushes(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const key = ['app_id', 'activity_id', 'event', 'created_at', 'notification_id'];
  const which = sql`activity_pushes
    where created_at < ${new Date(now.getTime() - ACTIVITY_KEPT_MS)} order by created_at`;
  return deleteSome(db, 'activity_pushes', key, which, limit);
}

/** From its creation, a notification waits for 30 days at most and is tried for 28, in waves within 3 days. */
const ENDS_WITHIN_DAYS = 61;

/**
 * The entries by which notifications are found that ended before `endedBefore`, as far as that follows from
 * their day.
 */
export async function deleteOldRecipients(
  db: Kysely<Database>,
  endedBefore: Date,
  limit: number,
): Promise<number> {
  const key = ['recipient_day', 'created_at', 'notification_id'];
  const which = sql`notifications_by_recipient
    where recipient_day < recipient_day(0, day_number(${endedBefore}) - ${sql.lit(ENDS_WITHIN_DAYS)})
    order by recipient_day`;
  return deleteSome(db, 'notifications_by_recipient', key, which, limit);
}

/** Users and addresses that a device had before `endedBefore`: nothing is kept of the pushes to them. */
export async function deleteEarlierRecipients(
  db: Kysely<Database>,
  endedBefore: Date,
  limit: number,
): Promise<number> {
  const which = sql`device_earlier_recipients where until < ${endedBefore} order by until`;
  return deleteSome(db, 'device_earlier_recipients', ['app_id', 'device_id', 'recipient'], which, limit);
}

export async function markPruned(
  db: Kysely<Database>,
  keys: readonly NotificationKey[],
  now: Date,
): Promise<void> {
  await sql`
    update notifications n set pruned_at = ${now}, outcomes = null, planned_filters = null
    from ${keysAsTable(keys)} where n.app_id = old.app_id and n.id = old.id`.execute(db);
}

function keysAsTable(keys: readonly NotificationKey[]) {
  const appIds = keys.map(({ appId }) => appId);
  const ids = keys.map(({ notificationId }) => notificationId);
  return sql`unnest(${appIds}::uuid[], ${ids}::uuid[]) as old (app_id, id)`;
}
