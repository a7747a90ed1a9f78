/**
 * Moves narrow rows that came many at a time to where counts find them by indexes (`device_targets_unindexed`).
 * Not while others come: an import is waited for. A few pages a statement and a pause after each,
 * by one process at a time, so that nobody else notices; what is not done when a worker stops is done the next time.
 */
import { setTimeout as waitFor } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../periodically.ts';
import { countFreshPages, findFirstFreshPage, moveFreshRows, vacuumFresh } from './index-deferred-store.ts';

export interface SettleLimits {
  /** Of 8 KiB, with some 20 rows each, a statement. */
  pages: number;
  pauseMs: number;
}

const LIMITS: SettleLimits = { pages: 50, pauseMs: 20 };
const EVERY_MS = 15_000;

/**
 * Moves all there is to move, unless rows are just arriving or another process is at it.
 * @param stop ends it after the statement under way
 * @returns how many rows were moved
 */
export async function settle(db: Kysely<Database>, stop: AbortSignal, limits = LIMITS): Promise<number> {
  const pages = await countFreshPages(db);
  if (pages === 0) return 0;
  let devices = 0;
  // Not from page 0: the empty ones would be gone through again by each that another process gets in the way of.
  const begin = (await findFirstFreshPage(db)) ?? pages;
  for (let first = begin; first < pages; first += limits.pages) {
    if (stop.aborted) return devices;
    const moved = await moveFreshRows(db, first, limits.pages);
    if (moved === undefined) return devices;
    devices += moved;
    // An abort ends the pause; the condition above then ends the loop.
    if (moved > 0) await waitFor(limits.pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
  await vacuumFresh(db);
  return devices;
}

export function indexDeferredRowsJob(db: Kysely<Database>, observe: Observe): PeriodicJob {
  return {
    name: 'index-deferred-rows',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const devices = await settle(db, stop);
      if (devices > 0) observe({ kind: 'settled', devices });
    },
  };
}
