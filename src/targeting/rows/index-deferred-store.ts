/** The statements of settling: each moves a bounded number of rows and may be repeated. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { tryTransactionLock } from '../../db/try-lock.ts';

/** How many pages the fresh rows have, those included that are empty by now: every count reads them. */
export async function countFreshPages(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size('device_targets_unindexed') / current_setting('block_size')::integer as pages
  `.execute(db);
  return rows[0]?.pages ?? 0;
}

/** @returns the first page, from 0, that has a fresh row; undefined where none is left */
export async function findFirstFreshPage(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ page: number | null }>`
    select (min(ctid)::text::point)[0]::integer as page from device_targets_unindexed`.execute(db);
  return rows[0]?.page ?? undefined;
}

/**
 * Moves the rows of some pages. Rows that another call is about to remove are left out: waiting for it, with rows
 * moved already that others wait for, could be a circle. Who removes a row that is moved meanwhile waits, and looks
 * again (`delete_device_targets`): so no device is ever without its row, nor has two.
 * @param first page, from 0
 * @returns how many were moved; undefined where rows are just arriving, or another process moves them
 */
export async function moveFreshRows(
  db: Kysely<Database>,
  first: number,
  pages: number,
): Promise<number | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await tryTransactionLock(transaction, 'device_targets_unindexed'))) return undefined;
    const { numAffectedRows } = await sql`
      with moved as (
        delete from device_targets_unindexed
        where ctid = any(array(
          select ctid from device_targets_unindexed
          where ctid >= ${`(${first},0)`}::tid and ctid < ${`(${first + pages},0)`}::tid
          for update skip locked
        ))
        returning *
      )
      insert into device_targets select * from moved`.execute(transaction);
    return Number(numAffectedRows);
  });
}

/**
 * Gives empty pages back, unless somebody else is at it. Not in a transaction. With the index, always: where a vacuum
 * before has left less than a fiftieth of the pages to clean, Postgres would spare itself that, and keep all of them.
 */
export async function vacuumFresh(db: Kysely<Database>): Promise<void> {
  await sql`vacuum (skip_locked, index_cleanup on) device_targets_unindexed`.execute(db);
}
