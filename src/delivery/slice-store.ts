/** The rows of `delivery_slices`: planning inserts them, workers lease them, save their outcomes and give them back. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/tables.ts';
import { type Route, routes } from '../route.ts';
import { type Origin, originColumns, originOf } from '../notifications/origin.ts';
import type { OfNotification } from '../observe.ts';
import { FIRST_UUID } from '../uuid.ts';
import type { IdRange } from './start/id-ranges.ts';

export interface NotificationKey {
  appId: string;
  notificationId: string;
}

/** A slice that this worker has leased. Outcomes are saved only while this attempt holds the lease. */
export interface LeasedSlice extends NotificationKey, IdRange {
  number: number;
  attempt: number;
  /** Id of the request that created the notification. */
  origin: Origin;
  /** Outcomes that earlier attempts saved, packed. */
  earlier: readonly Buffer[];
}

/** A newly leased slice, with the state of its notification that may differ from one slice to the next. */
export interface NextSlice extends LeasedSlice {
  /** Routes on which the credentials have been refused for the notification, with the reason. */
  refused: Partial<Record<Route, string>>;
  /** Processes that have died while sending the slice, since its last saved outcome. */
  deaths: number;
  /** The steps at which processes died: ids of devices, or `WHOLE_SLICE`. */
  poison: readonly string[];
  /** Why it is no longer tried; null if it still is. */
  gaveUp: string | null;
  /** Whether other slices of the notification are not done. */
  hasOthers: boolean;
}

/** What observations say of the notification of a slice. */
export function ofNotification({
  notificationId,
  origin,
}: Pick<LeasedSlice, 'notificationId' | 'origin'>): OfNotification {
  return { notificationId, requestId: origin.requestId };
}

/** Noted for a step that concerns all devices of a slice. No device has this id. */
export const WHOLE_SLICE = FIRST_UUID;

/** In `poison`: such a note was found once, and the notification has other slices. No device has this id. */
const WHOLE_SLICE_ONCE = '00000000-0000-0000-0000-000000000001';

/**
 * A lease ends this long after its last renewal: it survives a pause of the process, but the slices of a dead worker
 * are soon leased again.
 */
export const LEASE_MS = 10_000;

/** Planning stores slices with the time at which it began: they may become visible so long after they are due. */
export const SLICES_LATE_MS = 60_000;

/** Rows per insert: keeps the number of parameters below Postgres' limit of 65,535. */
const INSERT_ROWS_MAX = 5_000;

/** Numbers of slices, both ends included. */
interface NumberRange {
  first: number;
  last: number;
}

/** Up to the largest `integer` of Postgres. */
const ALL_NUMBERS: NumberRange = { first: 0, last: 2 ** 31 - 1 };

/**
 * @param notBefore when the slices may be leased; a function is called with the number of each slice
 * @param firstNumber the number of the first slice
 */
export async function insertSlices(
  db: Kysely<Database>,
  key: NotificationKey,
  ranges: readonly IdRange[],
  notBefore: Date | ((number: number) => Date),
  firstNumber = 0,
): Promise<void> {
  for (let start = 0; start < ranges.length; start += INSERT_ROWS_MAX) {
    const rows = ranges.slice(start, start + INSERT_ROWS_MAX).map((range, index) => ({
      app_id: key.appId,
      notification_id: key.notificationId,
      number: firstNumber + start + index,
      first_id: range.firstId,
      last_id: range.lastId,
      not_before: notBefore instanceof Date ? notBefore : notBefore(firstNumber + start + index),
      lease_until: null,
      outcomes: null,
      finished_at: null,
    }));
    await db.insertInto('delivery_slices').values(rows).execute();
  }
}

/**
 * Leases the first free slice of a notification: one that is waiting, or whose lease has expired because its worker
 * died.
 * @param options `numbers`: the slices to search; all of them unless given. `takesOver`: whether an expired lease counts as free.
 *   `holder` identifies this process: if its own lease has expired, as while the database was away, nobody has died
 * @returns undefined if none of them is free, or if the notification is not in state `sending`
 */
export async function leaseNextSlice(
  db: Kysely<Database>,
  key: NotificationKey,
  now: Date,
  {
    numbers = ALL_NUMBERS,
    takesOver = true,
    holder = null,
  }: {
    numbers?: NumberRange | undefined;
    takesOver?: boolean;
    holder?: string | null;
  } = {},
): Promise<NextSlice | undefined> {
  const row = await db
    .with('notification', (cte) =>
      cte
        .selectFrom('notifications')
        .select(['refused', 'slices_left', ...originColumns])
        .where('app_id', '=', key.appId)
        .where('id', '=', key.notificationId)
        .where('state', '=', 'sending'),
    )
    .with('next', (cte) =>
      cte
        .selectFrom('delivery_slices as s')
        .select('s.number')
        .where('s.app_id', '=', key.appId)
        .where('s.notification_id', '=', key.notificationId)
        .where('s.number', '>=', numbers.first)
        .where('s.number', '<=', numbers.last)
        .where((eb) => eb.exists(eb.selectFrom('notification').select('request_id')))
        .where(leasable(now, takesOver))
        .orderBy('s.number')
        .limit(1)
        .forUpdate('s')
        .skipLocked(),
    )
    .updateTable('delivery_slices as s')
    .from(['next', 'notification'])
    .set((eb) => ({
      state: 'leased' as const,
      attempt: eb('s.attempt', '+', 1),
      lease_until: leaseEnd(now),
      holder,
      ...afterLease(sql`s.state = 'leased' and s.holder is distinct from ${holder}::uuid`),
    }))
    .whereRef('s.number', '=', 'next.number')
    .where('s.app_id', '=', key.appId)
    .where('s.notification_id', '=', key.notificationId)
    .returning(['s.number', 's.attempt', 's.first_id as firstId', 's.last_id as lastId', 's.outcomes'])
    .returning(['s.deaths', 's.poison', 's.gave_up as gaveUp'])
    .returning(['notification.refused', 'notification.slices_left', ...originColumns])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { refused, slices_left, outcomes, request_id, traceparent, ...slice } = row;
  const earlier = outcomes === null ? [] : [outcomes];
  if (slice.attempt > 1) earlier.push(...(await readParts(db, key, slice.number)));
  return {
    ...key,
    ...slice,
    origin: originOf({ request_id, traceparent }),
    earlier,
    refused: refusedSchema.parse(refused),
    hasOthers: slices_left > 1,
  };
}

/**
 * SQL for the columns in which a slice remembers the previous attempt. If the process of that attempt has died, the
 * slice is sent carefully from now on (`troubles/careful.ts`), and the step that it had noted is not tried again. A step for all
 * devices of several slices is tried once more: a kill from outside may have met the note, and would end the whole notification.
 * @param died SQL condition on the slice `s`
 */
function afterLease(died: RawBuilder<unknown>) {
  const hasProgress = sql`exists (
    select from delivery_progress as p
    where p.app_id = s.app_id and p.notification_id = s.notification_id and p.number = s.number and p.attempt = s.attempt
  )`;
  const isOfNotification = sql`o.app_id = s.app_id and o.notification_id = s.notification_id`;
  const isTriedOnceMore = sql`s.trying = ${WHOLE_SLICE}
    and exists (select from delivery_slices as o where ${isOfNotification} and o.number <> s.number)
    and not exists (
      select from delivery_slices as o
      where ${isOfNotification} and o.state <> 'done' and ${WHOLE_SLICE_ONCE} = any (o.poison)
    )`;
  return {
    deaths: sql<number>`case when not (${died}) then s.deaths when ${hasProgress} then 1 else s.deaths + 1 end`,
    poison: sql<string[]>`case
      when not (${died}) or s.trying is null then s.poison
      when ${isTriedOnceMore} then s.poison || ${WHOLE_SLICE_ONCE}::uuid
      else s.poison || s.trying end`,
    trying: null,
  };
}

/**
 * Reads the parts that unfinished attempts have saved. It is a separate statement after the lease, so that it sees
 * parts that were being inserted when the lease was taken; later ones are refused.
 */
async function readParts(db: Kysely<Database>, key: NotificationKey, number: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('delivery_progress')
    .select('outcomes')
    .where('app_id', '=', key.appId)
    .where('notification_id', '=', key.notificationId)
    .where('number', '=', number)
    .execute();
  return rows.map(({ outcomes }) => outcomes);
}

const refusedSchema = z.partialRecord(z.enum(routes), z.string());

/** @returns whether any process is sending a bulk notification: a slice of the bulk lane is leased */
export async function hasLeasedBulkSlice(db: Kysely<Database>, now: Date): Promise<boolean> {
  const { rows } = await sql<{ sending: boolean }>`
    select exists (
      select from delivery_slices as s
      join notifications as n on n.app_id = s.app_id and n.id = s.notification_id
      where ${isUnfinished} and ${dueAt} > ${now} and s.state = 'leased'
        and n.state = 'sending' and n.lane = 'bulk'
    ) as sending`.execute(db);
  return rows[0]?.sending === true;
}

/** Renews the lease. @returns false if another worker has the slice, or if the notification has ended */
export async function renewLease(db: Kysely<Database>, slice: LeasedSlice, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('delivery_slices')
    .set({ lease_until: leaseEnd(now) })
    .where(held(slice))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('notifications')
          .select('id')
          .where('app_id', '=', slice.appId)
          .where('id', '=', slice.notificationId)
          .where('state', '=', 'sending'),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives back all leased slices: their processes have died. Call it only when no worker is running. */
export async function releaseSlices(db: Kysely<Database>, now: Date): Promise<void> {
  await db
    .updateTable('delivery_slices as s')
    .set({ state: 'waiting', lease_until: null, not_before: now, ...afterLease(sql`true`) })
    .where('s.state', '=', 'leased')
    .execute();
}

/**
 * Corrects stored times after a clock that was ahead has been set back: waiting slices become due at once, and leases
 * end as if taken now. A slice that is delayed because a gateway asked for it is tried early, once.
 */
export async function bringForward(db: Kysely<Database>, now: Date): Promise<void> {
  await sql`
    with ahead as (
      select app_id, notification_id, number from delivery_slices
      where (state = 'waiting' and not_before > ${now}) or (state = 'leased' and lease_until > ${leaseEnd(now)})
      order by app_id, notification_id, number
      for no key update skip locked
    )
    update delivery_slices as s
    set not_before = least(s.not_before, ${now}),
      lease_until = case when s.state = 'leased' then least(s.lease_until, ${leaseEnd(now)}) end
    from ahead
    where s.app_id = ahead.app_id and s.notification_id = ahead.notification_id and s.number = ahead.number`.execute(
    db,
  );
}

/** SQL condition on the slice `s`. */
function leasable(now: Date, takesOver: boolean): RawBuilder<boolean> {
  return sql<boolean>`s.state <> 'done' and (
    (s.state = 'waiting' and s.not_before <= ${now})
    ${takesOver ? sql`or (s.state = 'leased' and s.lease_until < ${now})` : sql``})`;
}

/** SQL condition on the slice `s` that the index by `dueAt` has. */
export const isUnfinished = sql<boolean>`s.finished_at is null`;

/** SQL: when the unfinished slice `s` may be leased. */
export const dueAt = sql<Date>`coalesce(s.lease_until, s.not_before)`;

/** SQL condition on `delivery_slices`: this attempt still holds the slice. */
export function held(slice: LeasedSlice) {
  return sql<boolean>`app_id = ${slice.appId} and notification_id = ${slice.notificationId}
    and number = ${slice.number} and state = 'leased' and attempt = ${slice.attempt}`;
}

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
