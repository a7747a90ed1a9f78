/** The statements that index deferred rows. Each is bounded and can be repeated. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { tryTransactionLock } from '../../db/try-lock.ts';

/** The number of pages of the unindexed rows, with the empty ones: every count reads all of them. */
export async function countUnindexedPages(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size('device_targets_unindexed') / current_setting('block_size')::integer as pages
  `.execute(db);
  return rows[0]?.pages ?? 0;
}

/** @returns the first page, from 0, with an unindexed row; undefined where there is none */
export async function findFirstUnindexedPage(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ page: number | null }>`
    select (min(ctid)::text::point)[0]::integer as page from device_targets_unindexed`.execute(db);
  return rows[0]?.page ?? undefined;
}

/**
 * Moves the rows of some pages, without those that another transaction has locked: waiting for it, with moved rows that
 * others wait for, could be a deadlock. A transaction that deletes a row during its move waits and looks again
 * (`delete_device_targets`), so each device has exactly one row at any time.
 * @param first page, from 0
 * @returns how many were moved; undefined where an import or another process holds the lock
 */
export async function moveUnindexedRows(
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
 * Returns empty pages to the system, unless another process does. Not in a transaction. `index_cleanup on`: otherwise, where
 * an earlier vacuum left less than a fiftieth of the pages to clean, Postgres skips the index and keeps all pages.
 */
export async function vacuumUnindexed(db: Kysely<Database>): Promise<void> {
  await sql`vacuum (skip_locked, index_cleanup on) device_targets_unindexed`.execute(db);
}
