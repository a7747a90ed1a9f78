/** The statements about receipts: storing, finding what is to be counted, counting. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { columnParameter, listParameter } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import type { Marks } from './marks.ts';

export interface UncountedRow extends NotificationKey {
  receipts: Buffer;
}

/** Stores them, to be counted from `dueAt` on. @param storedAt when they were reported */
export async function insertUncounted(
  db: Kysely<Database>,
  rows: readonly UncountedRow[],
  storedAt: Date,
  dueAt = storedAt,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into receipts_uncounted (app_id, notification_id, stored_at, due_at, receipts)
    select app_id, notification_id, ${storedAt}, ${dueAt}, receipts
    from unnest(
      ${columnParameter(rows, 'uuid', (row) => row.appId)},
      ${columnParameter(rows, 'uuid', (row) => row.notificationId)},
      ${columnParameter(rows, 'bytea', (row) => row.receipts)}
    ) as row (app_id, notification_id, receipts)`.execute(db);
}

/**
 * Deletes receipts of notifications that do not exist, or whose outcomes are no longer kept: they would not count.
 * @returns their number of bytes, and how many rows they were
 */
export async function deleteUseless(
  db: Kysely<Database>,
  now: Date,
  limit: number,
): Promise<{ rows: number; bytes: number }> {
  const { rows } = await sql<{ rows: number; bytes: number }>`
    with gone as (
      delete from receipts_uncounted where (app_id, notification_id, number) in (
        select u.app_id, u.notification_id, u.number
        from receipts_uncounted as u
        left join notifications as n on n.app_id = u.app_id and n.id = u.notification_id
        where u.due_at <= ${now} and (n.id is null or n.pruned_at is not null)
        limit ${limit}
      )
      returning length(receipts) as bytes
    )
    select count(*) as rows, coalesce(sum(bytes), 0)::bigint as bytes from gone`.execute(db);
  return rows[0] ?? { rows: 0, bytes: 0 };
}

/** Finds notifications with receipts to count, and ended ones whose counts are not complete. */
export async function findToCount(
  db: Kysely<Database>,
  now: Date,
  endedBefore: Date,
  limit: number,
): Promise<NotificationKey[]> {
  const { rows } = await sql<NotificationKey>`
    select app_id as "appId", notification_id as "notificationId" from (
      select app_id, notification_id, min(due_at) as since
      from (select * from receipts_uncounted where due_at <= ${now} order by due_at limit 1000) as due
      group by 1, 2
      union all
      select c.app_id, c.notification_id, n.ended_at
      from receipt_counts as c join notifications as n on n.app_id = c.app_id and n.id = c.notification_id
      where not c.complete and ${isFinal(endedBefore)}
    ) as found
    group by 1, 2 order by min(since) limit ${limit}`.execute(db);
  return rows;
}

/** Whether no more outcomes come: every slice is done or, if some never will be, the notification ended long enough ago. */
function isFinal(endedBefore: Date) {
  return sql<boolean>`(n.ended_at is not null and (n.slices_left = 0 or n.ended_at < ${endedBefore}))`;
}

export interface CountedNotification {
  body: string;
  isStarted: boolean;
  isFinal: boolean;
  isPruned: boolean;
  /** Packed, of a notification that was sent without slices. */
  outcomes: Buffer | null;
}

/** @returns undefined if the app has no such notification */
export async function readCountedNotification(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  endedBefore: Date,
): Promise<CountedNotification | undefined> {
  const { rows } = await sql<CountedNotification>`
    select n.body, n.started_at is not null as "isStarted", n.pruned_at is not null as "isPruned",
      ${isFinal(endedBefore)} as "isFinal", n.outcomes
    from notifications as n where n.app_id = ${appId} and n.id = ${notificationId}`.execute(db);
  return rows[0];
}

/** Takes rows that are due, the oldest first: they are deleted when the transaction ends. */
export async function takeUncounted(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
  now: Date,
  limit: number,
): Promise<{ storedAt: Date; receipts: Buffer }[]> {
  const { rows } = await sql<{ storedAt: Date; receipts: Buffer }>`
    delete from receipts_uncounted
    where app_id = ${appId} and notification_id = ${notificationId} and number in (
      select number from receipts_uncounted
      where app_id = ${appId} and notification_id = ${notificationId} and due_at <= ${now}
      order by number limit ${limit}
    )
    returning stored_at as "storedAt", receipts`.execute(transaction);
  return rows;
}

export interface SliceRange {
  number: number;
  firstId: string;
  lastId: string;
  isDone: boolean;
  hasMarks: boolean;
}

/** Sorted by their first ids. The slices of several waves overlap. */
export async function readRanges(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<SliceRange[]> {
  const { rows } = await sql<SliceRange>`
    select s.number, s.first_id as "firstId", s.last_id as "lastId", s.state = 'done' as "isDone",
      m.slice is not null as "hasMarks"
    from delivery_slices as s
    left join receipt_marks as m
      on m.app_id = s.app_id and m.notification_id = s.notification_id and m.slice = s.number
    where s.app_id = ${appId} and s.notification_id = ${notificationId}
    order by s.first_id, s.number`.execute(db);
  return rows;
}

export interface StoredSlice {
  number: number;
  /** Packed; null if the slice has none. */
  outcomes: Buffer | null;
}

export async function readOutcomes(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  numbers: readonly number[],
): Promise<StoredSlice[]> {
  return db
    .selectFrom('delivery_slices')
    .select(['number', 'outcomes'])
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .where('number', 'in', numbers)
    .execute();
}

/** @returns the marks by the number of the slice */
export async function readMarks(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Marks>> {
  const rows = await db
    .selectFrom('receipt_marks')
    .select(['slice', 'received', 'shown'])
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .where('slice', 'in', numbers)
    .execute();
  return new Map(rows.map(({ slice, ...marks }) => [slice, marks]));
}

export interface ReceiptSums {
  asked: number;
  received: number;
  shown: number;
}

export async function saveMarks(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
  marks: ReadonlyMap<number, Marks>,
  { asked, received, shown }: ReceiptSums,
): Promise<void> {
  const all = [...marks.values()];
  await sql`
    insert into receipt_marks (app_id, notification_id, slice, received, shown)
    select ${appId}::uuid, ${notificationId}::uuid, slice, received, shown
    from unnest(
      ${listParameter([...marks.keys()], 'int')}, ${columnParameter(all, 'bytea', (of) => of.received)},
      ${columnParameter(all, 'bytea', (of) => of.shown)}
    ) as new (slice, received, shown)
    on conflict (app_id, notification_id, slice) do update set received = excluded.received, shown = excluded.shown`.execute(
    transaction,
  );
  await sql`
    insert into receipt_counts as c (app_id, notification_id, asked, received, shown, complete)
    values (${appId}, ${notificationId}, ${asked}, ${received}, ${shown}, false)
    on conflict (app_id, notification_id) do update set
      asked = c.asked + excluded.asked, received = c.received + excluded.received, shown = c.shown + excluded.shown`.execute(
    transaction,
  );
}

/** Call it when every slice has marks and no more will come, or when they are pruned. */
export async function completeCounts(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
): Promise<void> {
  await transaction
    .updateTable('receipt_counts')
    .set({ complete: true })
    .where('app_id', '=', appId)
    .where('notification_id', '=', notificationId)
    .execute();
}

export interface Opened {
  deviceId: string;
  /** Undefined if the notification is no A/B test. */
  variant: string | undefined;
  at: Date;
}

/** Records opens; a device that has opened it before stays as it is. */
export async function insertOpens(
  transaction: Transaction<Database>,
  { appId, notificationId }: NotificationKey,
  opened: readonly Opened[],
): Promise<void> {
  if (opened.length === 0) return;
  await sql`
    insert into opens (app_id, notification_id, device_id, opened_at, variant)
    select ${appId}::uuid, ${notificationId}::uuid, device_id, opened_at, variant
    from unnest(
      ${columnParameter(opened, 'uuid', ({ deviceId }) => deviceId)},
      ${columnParameter(opened, 'timestamptz', ({ at }) => at)},
      ${columnParameter(opened, 'text', ({ variant }) => variant ?? null)}
    ) as new (device_id, opened_at, variant)
    on conflict do nothing`.execute(transaction);
}
