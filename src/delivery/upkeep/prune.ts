/**
 * Deletes the per-device results of notifications that ended long ago: slices with their outcomes, opens and marks of
 * receipts. The notification's row and counters stay. One worker at a time deletes a bounded number of rows per statement,
 * with a pause after each, so that other work is not slowed down. The next run continues where a stopped one ended.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { Observe } from '../../observe.ts';
import { pause, type PeriodicJob, repeatStep } from '../../scheduling/periodically.ts';
import {
  deleteActivityPushes,
  deleteActivityTokens,
  deleteEarlierRecipients,
  deleteOldRecipients,
  deleteOldUses,
  deleteOpens,
  deleteReceiptMarks,
  deleteSlices,
  deleteMomentChanges,
  deleteUniqueIds,
  deleteTroubles,
  findUnpruned,
  markPruned,
} from './prune-store.ts';

export interface PruneContext {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  /** Days for which the per-device results of an ended notification are kept. */
  keepDays: number;
}

/** Rows per statement, unless a line says otherwise. */
const LIMITS = {
  /** A slice holds about 22 KB, so 200 are some 4 MB. */
  slices: 200,
  /** Also of caps, activities, recipients and moments. */
  opens: 5_000,
  /** Marks of receipts, of some 250 bytes each. */
  receipts: 5_000,
  /** Apple's ids of pushes. */
  uniqueIds: 5_000,
  /** Notifications per round. */
  notifications: 200,
  pauseMs: 100,
};

export type PruneLimits = typeof LIMITS;

/** One worker prunes at a time. */
export const PRUNE_LOCK = 'prune';

const EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Prunes all notifications that are old enough, unless another worker is pruning.
 * @param stop ends the run after the current statement
 * @returns the numbers of rows deleted
 */
export async function prune(
  { db, clock, keepDays }: Omit<PruneContext, 'observe'>,
  stop: AbortSignal,
  limits = LIMITS,
) {
  const endedBefore = new Date(clock().getTime() - keepDays * DAY_MS);
  const pruned = { notifications: 0, slices: 0, opens: 0, receipts: 0, uniqueIds: 0 };
  const { pauseMs } = limits;
  await withTryLock(db, PRUNE_LOCK, async () => {
    const deleteOfNoNotification = [
      async (limit: number) => deleteMomentChanges(db, limit),
      async (limit: number) => deleteOldUses(db, clock(), limit),
      async (limit: number) => deleteActivityTokens(db, clock(), limit),
      async (limit: number) => deleteActivityPushes(db, clock(), limit),
      async (limit: number) => deleteOldRecipients(db, endedBefore, limit),
      async (limit: number) => deleteEarlierRecipients(db, endedBefore, limit),
    ];
    for (const deleteSome of deleteOfNoNotification) {
      await repeatStep(deleteSome, { limit: limits.opens, pauseMs }, stop);
    }
    while (!stop.aborted) {
      const keys = await findUnpruned(db, endedBefore, limits.notifications);
      if (keys.length === 0) return;
      for (const what of ['slices', 'opens', 'receipts', 'uniqueIds'] as const) {
        const removeSome = async (limit: number) => deleteOf[what](db, keys, limit);
        const { rows, isDone } = await repeatStep(removeSome, { limit: limits[what], pauseMs }, stop);
        pruned[what] += rows;
        if (!isDone) return;
      }
      await markPruned(db, keys, clock());
      await deleteTroubles(db, keys);
      pruned.notifications += keys.length;
      await pause(pauseMs, stop);
    }
  });
  return pruned;
}

const deleteOf = {
  slices: deleteSlices,
  opens: deleteOpens,
  receipts: deleteReceiptMarks,
  uniqueIds: deleteUniqueIds,
};

export function pruneJob(context: PruneContext): PeriodicJob {
  return {
    name: 'prune',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const pruned = await prune(context, stop);
      if (Object.values(pruned).some((rows) => rows > 0)) {
        context.observe({ kind: 'pruned', ...pruned });
      }
    },
  };
}
