/**
 * Indexes targeting rows that an import has stored without index entries: moves them from `device_targets_unindexed` to
 * `device_targets`. One process does this at a time, and not during an import. Each statement moves a few pages, with a pause
 * after it, which keeps the load low. If a run is stopped, the next one continues there.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { pause, type PeriodicJob } from '../../scheduling/periodically.ts';
import { tryTransactionLock } from '../../db/try-lock.ts';

export interface IndexLimits {
  /** The number of pages per statement; a page of 8 KiB has some 20 rows. */
  pages: number;
  pauseMs: number;
}

const LIMITS: IndexLimits = { pages: 50, pauseMs: 20 };
const EVERY_MS = 15_000;

/**
 * Indexes all deferred rows, unless an import or another process holds the lock.
 * @param stop ends the run after the current statement
 * @returns how many rows were indexed
 */
export async function indexDeferredRows(
  db: Kysely<Database>,
  stop: AbortSignal,
  limits = LIMITS,
): Promise<number> {
  const pages = await countUnindexedPages(db);
  if (pages === 0) return 0;
  let devices = 0;
  // Starting at page 0 would go through the empty pages again after every interrupted run.
  const firstPage = (await findFirstUnindexedPage(db)) ?? pages;
  for (let first = firstPage; first < pages; first += limits.pages) {
    if (stop.aborted) return devices;
    const moved = await moveUnindexedRows(db, first, limits.pages);
    if (moved === undefined) return devices;
    devices += moved;
    if (moved > 0) await pause(limits.pauseMs, stop);
  }
  // Returns empty pages to the operating system, unless another process is doing so. Without
  // `index_cleanup on`, Postgres skips the index and keeps all pages if less than a fiftieth of the pages
  // need cleaning.
  await sql`vacuum (skip_locked, index_cleanup on) device_targets_unindexed`.execute(db);
  return devices;
}

export function indexDeferredRowsJob(db: Kysely<Database>, observe: Observe): PeriodicJob {
  return {
    name: 'index-deferred-rows',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const devices = await indexDeferredRows(db, stop);
      if (devices > 0) observe({ kind: 'deferred_rows_indexed', devices });
    },
  };
}

/** @returns the number of pages of the unindexed rows, including empty pages: every count reads all of them */
export async function countUnindexedPages(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size('device_targets_unindexed') / current_setting('block_size')::integer as pages
  `.execute(db);
  return rows[0]?.pages ?? 0;
}

/** @returns whether any row is unindexed; empty pages, which may stay for a while, do not count */
export async function hasUnindexedRows(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from device_targets_unindexed) as has`.execute(db);
  return rows[0]?.has === true;
}

/** @returns the number (from 0) of the first page with an unindexed row; undefined if there is none */
export async function findFirstUnindexedPage(db: Kysely<Database>): Promise<number | undefined> {
  const { rows } = await sql<{ page: number | null }>`
    select (min(ctid)::text::point)[0]::integer as page from device_targets_unindexed`.execute(db);
  return rows[0]?.page ?? undefined;
}

/**
 * Moves the rows of some pages. Skips rows that another transaction has locked: waiting for that transaction could be a
 * deadlock, if it waits for a moved row. A transaction that deletes a row during its move waits and looks again
 * (`delete_device_targets`), so each device has exactly one row at any time.
 * @param first the number of the first page, from 0
 * @returns how many rows were moved; undefined if an import or another process holds the lock
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
