/**
 * Builds the count bitmaps of large apps (migrations/0004-count-bitmaps.sql): divides an app into blocks, builds each, and
 * rebuilds a block when much of it has changed. Counts are exact even if this job does not run, but get slower.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../periodically.ts';
import {
  buildBlock,
  deleteLayout,
  findDueBlocks,
  findFirstIds,
  findLargeApps,
  insertLayout,
} from './build-store.ts';

export interface BuildLimits {
  /** Apps with at least this many devices get bitmaps. For smaller apps, scanning the rows is fast enough. */
  devicesMin: number;
  /** The size of a new block. It can grow by a third before the app is divided again. */
  devicesPerBlock: number;
}

/** See `BuildLimits`. */
export const DEVICES_MIN = 200_000;
const LIMITS: BuildLimits = { devicesMin: DEVICES_MIN, devicesPerBlock: 24_000 };
const EVERY_MS = 30_000;
/** Held during a run: two processes at a time would build the same bitmaps twice. */
const LOCK = 'count_bitmap_blocks';

/**
 * Builds all blocks that are due, unless another process is doing so.
 * @param stop ends the run after the current block
 * @returns the number of devices in the built blocks
 */
export async function buildBitmaps(
  db: Kysely<Database>,
  stop: AbortSignal,
  limits = LIMITS,
): Promise<number> {
  const built = await withTryLock(db, LOCK, async () => {
    for (const appId of await findLargeApps(db, limits.devicesMin)) {
      await insertLayout(db, appId, await findFirstIds(db, appId, limits.devicesPerBlock));
    }
    return buildDueBlocks(db, stop);
  });
  return built ?? 0;
}

async function buildDueBlocks(db: Kysely<Database>, stop: AbortSignal): Promise<number> {
  let built = 0;
  for (const block of await findDueBlocks(db)) {
    if (stop.aborted) return built;
    const devices = await buildBlock(db, block);
    if (devices === undefined) {
      await deleteLayout(db, block.appId);
      return built;
    }
    built += devices;
  }
  return built;
}

export function buildBitmapsJob(db: Kysely<Database>, observe: Observe, limits = LIMITS): PeriodicJob {
  return {
    name: 'build-count-bitmaps',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const devices = await buildBitmaps(db, stop, limits);
      if (devices > 0) observe({ kind: 'bitmaps_built', devices });
    },
  };
}
