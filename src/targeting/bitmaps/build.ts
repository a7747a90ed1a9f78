/**
 * Builds the count bitmaps of large apps (migrations/0004-count-bitmaps.sql): divides an app into blocks, builds each, and
 * builds it again when much of it has changed. Counts are exact whether this job runs or not; without it they get slower.
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
  /** Apps with this many devices get bitmaps; scanning the rows of fewer is quick enough. */
  devicesMin: number;
  /** Leaves room for a third more before the app is divided again. */
  devicesPerBlock: number;
}

const LIMITS: BuildLimits = { devicesMin: 200_000, devicesPerBlock: 24_000 };
const EVERY_MS = 30_000;
/** Two processes at a time would build the same bitmaps twice. */
const LOCK = 'count_bitmap_blocks';

/**
 * Builds all blocks that are due, unless another process does.
 * @param stop ends it after the current block
 * @returns how many devices the built blocks have
 */
export async function buildBitmaps(
  db: Kysely<Database>,
  stop: AbortSignal,
  limits = LIMITS,
): Promise<number> {
  const built = await withTryLock(db, LOCK, async (connection) => {
    for (const appId of await findLargeApps(connection, limits.devicesMin)) {
      await insertLayout(connection, appId, await findFirstIds(connection, appId, limits.devicesPerBlock));
    }
    return buildDueBlocks(connection, stop);
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
      if (devices > 0) observe({ kind: 'sealed', devices });
    },
  };
}
