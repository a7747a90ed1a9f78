/**
 * Keeps the bitmaps by which large apps are counted (migrations/0004-count-bitmaps.sql): lays such an app out in blocks, seals each, and
 * seals it again when much of it has changed. Counts are exact whether it runs or not; what is late makes them slower.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../periodically.ts';
import {
  deleteLayout,
  findDueBlocks,
  findFirstIds,
  findLargeApps,
  insertLayout,
  sealBlock,
} from './build-store.ts';

export interface SealLimits {
  /** From so many devices on, an app is laid out: a scan of fewer takes no longer than a count may. */
  devicesMin: number;
  /** As many as leave room for a third more until the app is laid out anew. */
  devicesPerBlock: number;
}

const LIMITS: SealLimits = { devicesMin: 200_000, devicesPerBlock: 24_000 };
const EVERY_MS = 30_000;
/** Two processes at a time would build the same bitmaps twice. */
const LOCK = 'count_bitmap_blocks';

/**
 * Seals all that is due, unless another process is at it.
 * @param stop ends it after the block under way
 * @returns how many devices were sealed
 */
export async function seal(db: Kysely<Database>, stop: AbortSignal, limits = LIMITS): Promise<number> {
  const sealed = await withTryLock(db, LOCK, async (own) => {
    for (const appId of await findLargeApps(own, limits.devicesMin)) {
      await insertLayout(own, appId, await findFirstIds(own, appId, limits.devicesPerBlock));
    }
    return sealDue(own, stop);
  });
  return sealed ?? 0;
}

async function sealDue(db: Kysely<Database>, stop: AbortSignal): Promise<number> {
  let sealed = 0;
  for (const block of await findDueBlocks(db)) {
    if (stop.aborted) return sealed;
    const devices = await sealBlock(db, block);
    if (devices === undefined) {
      await deleteLayout(db, block.appId);
      return sealed;
    }
    sealed += devices;
  }
  return sealed;
}

export function buildBitmapsJob(db: Kysely<Database>, observe: Observe, limits = LIMITS): PeriodicJob {
  return {
    name: 'build-count-bitmaps',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const devices = await seal(db, stop, limits);
      if (devices > 0) observe({ kind: 'sealed', devices });
    },
  };
}
