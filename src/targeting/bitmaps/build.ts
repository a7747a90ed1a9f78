/**
 * Builds the count bitmaps of large apps (migrations/0004-count-bitmaps.sql): divides an app into blocks, builds each, and
 * rebuilds a block when much of it has changed. Counts are exact even if this job does not run, but get slower.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { hasUnindexedRows } from '../rows/index-deferred.ts';
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
/**
 * Due blocks wait this long at most for the end of bulk sends, which a build slows down by half on two cores, and of imports,
 * which would make the same blocks due again and again. Meanwhile counts are exact, and a little slower with every change.
 */
const WAIT_MS_MAX = 10 * 60_000;
/** Held during a run: two processes at a time would build the same bitmaps twice. */
const LOCK = 'count_bitmap_blocks';

/**
 * Builds all blocks that are due, unless another process is doing so.
 * @param stop ends the run after the current block
 * @param mayBuild is asked before each block; the run ends if it says no
 * @returns the number of devices in the built blocks
 */
export async function buildBitmaps(
  db: Kysely<Database>,
  stop: AbortSignal,
  limits = LIMITS,
  mayBuild = async (): Promise<boolean> => Promise.resolve(true),
): Promise<number> {
  const built = await withTryLock(db, LOCK, async () => {
    for (const appId of await findLargeApps(db, limits.devicesMin)) {
      await insertLayout(db, appId, await findFirstIds(db, appId, limits.devicesPerBlock));
    }
    return buildDueBlocks(db, stop, mayBuild);
  });
  return built ?? 0;
}

async function buildDueBlocks(
  db: Kysely<Database>,
  stop: AbortSignal,
  mayBuild: () => Promise<boolean>,
): Promise<number> {
  let built = 0;
  for (const block of await findDueBlocks(db)) {
    if (stop.aborted || !(await mayBuild())) return built;
    const devices = await buildBlock(db, block);
    if (devices === undefined) {
      await deleteLayout(db, block.appId);
      return built;
    }
    built += devices;
  }
  return built;
}

export interface BuildResources {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  /** Whether any process is sending a bulk notification. */
  isSendingBulk: () => Promise<boolean>;
  limits?: BuildLimits;
}

export function buildBitmapsJob({
  db,
  clock,
  observe,
  isSendingBulk,
  limits = LIMITS,
}: BuildResources): PeriodicJob {
  /** Since when a bulk notification or an import has been seen by every run. */
  let busySinceMs: number | undefined;
  // Rows without index entries come from an import that is running or has just ended.
  const isBusy = async (): Promise<boolean> => (await hasUnindexedRows(db)) || isSendingBulk();
  return {
    name: 'build-count-bitmaps',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const nowMs = clock().getTime();
      busySinceMs = (await isBusy()) ? (busySinceMs ?? nowMs) : undefined;
      const isOverdue = busySinceMs !== undefined && nowMs - busySinceMs >= WAIT_MS_MAX;
      if (busySinceMs !== undefined && !isOverdue) return;
      const devices = await buildBitmaps(db, stop, limits, async () => isOverdue || !(await isBusy()));
      if (isOverdue) busySinceMs = undefined;
      if (devices > 0) observe({ kind: 'bitmaps_built', devices });
    },
  };
}
