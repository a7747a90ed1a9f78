/**
 * Indexes targeting rows that an import has stored without index entries: moves them from `device_targets_unindexed` to
 * `device_targets`. One process does this at a time, and not during an import. Each statement moves a few pages, with a pause
 * after it, which keeps the load low. If a run is stopped, the next one continues there.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { pause, type PeriodicJob } from '../../scheduling/periodically.ts';
import {
  countUnindexedPages,
  findFirstUnindexedPage,
  moveUnindexedRows,
  vacuumUnindexed,
} from './index-deferred-store.ts';

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
  await vacuumUnindexed(db);
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
