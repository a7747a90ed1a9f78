/** The rows of `delivery_slices`: made by the plan, leased by a worker, recorded, handed on. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/tables.ts';
import { type Route, routes } from '../gateways/gateway.ts';
import { type Origin, originColumns, originOf } from '../notifications/origin.ts';
import type { IdRange } from './start/id-ranges.ts';

export interface NotificationKey {
  appId: string;
  notificationId: string;
}

/** A slice in the hands of this worker. Whoever records must still hold this attempt. */
export interface LeasedSlice extends NotificationKey, IdRange {
  number: number;
  attempt: number;
  /** Of its notification. */
  origin: Origin;
  /** What earlier attempts recorded, packed. */
  earlier: readonly Buffer[];
}

/** A slice as it is leased, with what may change about its notification between two slices. */
export interface NextSlice extends LeasedSlice {
  /** Routes on which the credentials have been refused for the notification, with the gateway's reason. */
  refused: Partial<Record<Route, string>>;
}

/**
 * How long a lease holds without a renewal: long enough that a pause of the process is no loss, short enough
 * that the slices of a dead worker are soon taken up again.
 */
export const LEASE_MS = 10_000;

/** Rows a statement: four parameters a row stay far below Postgres' 65,535. */
const INSERT_ROWS_MAX = 5_000;

export async function insertSlices(
  db: Kysely<Database>,
  key: NotificationKey,
  ranges: readonly IdRange[],
  now: Date,
): Promise<void> {
  for (let start = 0; start < ranges.length; start += INSERT_ROWS_MAX) {
    const rows = ranges.slice(start, start + INSERT_ROWS_MAX).map((range, index) => ({
      app_id: key.appId,
      notification_id: key.notificationId,
      number: start + index,
      first_id: range.firstId,
      last_id: range.lastId,
      not_before: now,
      lease_until: null,
      outcomes: null,
      finished_at: null,
    }));
    await db.insertInto('delivery_slices').values(rows).execute();
  }
}

/**
 * Takes the first slice of a notification that nobody works on: one that waits, or whose lease has run out
 * because its worker died. Undefined where there is none, or where the notification is no longer sending.
 */
export async function leaseNextSlice(
  db: Kysely<Database>,
  key: NotificationKey,
  now: Date,
): Promise<NextSlice | undefined> {
  const next = db
    .selectFrom('delivery_slices as s')
    .innerJoin('notifications as n', (join) =>
      join.onRef('n.app_id', '=', 's.app_id').onRef('n.id', '=', 's.notification_id'),
    )
    .select(['s.number', 'n.refused', ...originColumns])
    .where('s.app_id', '=', key.appId)
    .where('s.notification_id', '=', key.notificationId)
    .where('n.state', '=', 'sending')
    .where(claimable('s', now))
    .orderBy('s.number')
    .limit(1)
    .forUpdate('s')
    .skipLocked();
  const row = await db
    .with('next', () => next)
    .updateTable('delivery_slices as s')
    .from('next')
    .set((eb) => ({
      state: 'leased' as const,
      attempt: eb('s.attempt', '+', 1),
      lease_until: leaseEnd(now),
    }))
    .whereRef('s.number', '=', 'next.number')
    .where('s.app_id', '=', key.appId)
    .where('s.notification_id', '=', key.notificationId)
    .returning(['s.number', 's.attempt', 's.first_id', 's.last_id', 's.outcomes'])
    .returning(['next.refused', ...originColumns])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { number, attempt, first_id: firstId, last_id: lastId, outcomes } = row;
  const refused = refusedSchema.parse(row.refused);
  const earlier = outcomes === null ? [] : [outcomes];
  if (attempt > 1) earlier.push(...(await readParts(db, key, number)));
  return { ...key, number, attempt, origin: originOf(row), firstId, lastId, earlier, refused };
}

/**
 * The parts that attempts before left, for their end has not come. To be read by a statement of its own after the
 * lease: what was being stored when the lease was taken is on record by then, and what comes after it is refused.
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

/** Keeps a slice for another `LEASE_MS`. False where it is no longer ours, or the notification has been ended. */
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

/** Gives back every slice in a worker's hands. Only for the moment when no worker can be alive. */
export async function releaseSlices(db: Kysely<Database>, now: Date): Promise<void> {
  await db
    .updateTable('delivery_slices')
    .set({ state: 'waiting', lease_until: null, not_before: now })
    .where('state', '=', 'leased')
    .execute();
}

/**
 * For the moment when the clock was put back: slices that wait for a moment, or are leased until one, that a clock which
 * was ahead has stored. They are due at once, and their leases end as one of now does. A slice that waits for what a
 * gateway asked for is tried early, once.
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
    set not_before = least(s.not_before, ${now}), lease_until = least(s.lease_until, ${leaseEnd(now)})
    from ahead
    where s.app_id = ahead.app_id and s.notification_id = ahead.notification_id and s.number = ahead.number`.execute(
    db,
  );
}

interface Unworked extends NotificationKey {
  requestId: string;
  lane: 'direct' | 'bulk';
  slices: number;
}

/** Notifications that are sending and have slices nobody works on, with how many (up to `slicesMax`). */
export async function findUnworked(db: Kysely<Database>, now: Date, slicesMax: number): Promise<Unworked[]> {
  const { rows } = await sql<Unworked>`
    select n.app_id as "appId", n.id as "notificationId", n.request_id as "requestId", n.lane, unworked.slices
    from notifications n
    cross join lateral (
      select count(*) as slices from (
        select 1 from delivery_slices s
        where s.app_id = n.app_id and s.notification_id = n.id and ${claimable('s', now)}
        limit ${slicesMax}
      ) as claimable
    ) as unworked
    where n.state = 'sending' and unworked.slices > 0`.execute(db);
  return rows;
}

function claimable(alias: 's', now: Date) {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`${column('state')} <> 'done' and (
    (${column('state')} = 'waiting' and ${column('not_before')} <= ${now})
    or (${column('state')} = 'leased' and ${column('lease_until')} < ${now}))`;
}

/** That a row of `delivery_slices` is still in our hands. */
export function held(slice: LeasedSlice) {
  return sql<boolean>`app_id = ${slice.appId} and notification_id = ${slice.notificationId}
    and number = ${slice.number} and state = 'leased' and attempt = ${slice.attempt}`;
}

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
