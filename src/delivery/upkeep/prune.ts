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
import { deleteActivityPushes, deleteActivityTokens } from '../activities/prune-activities.ts';
import { deleteOldUses } from '../caps/cap-store.ts';
import { deleteEarlierRecipients, deleteOldRecipients } from './recipient-store.ts';
import {
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

export interface PruneLimits {
  /** Notifications per round. */
  notifications: number;
  /** Rows per statement. A slice holds about 22 KB, so 200 are some 4 MB. */
  slices: number;
  opens: number;
  /** Marks of receipts, of some 250 bytes each. */
  receipts: number;
  /** Apple's ids of pushes. */
  uniqueIds: number;
  pauseMs: number;
}

interface Pruned {
  notifications: number;
  slices: number;
  opens: number;
  receipts: number;
  uniqueIds: number;
}

const LIMITS: PruneLimits = {
  notifications: 200,
  slices: 200,
  opens: 5_000,
  receipts: 5_000,
  uniqueIds: 5_000,
  pauseMs: 100,
};
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
): Promise<Pruned> {
  const endedBefore = new Date(clock().getTime() - keepDays * DAY_MS);
  const pruned: Pruned = { notifications: 0, slices: 0, opens: 0, receipts: 0, uniqueIds: 0 };
  /** @returns whether all were deleted; false if the run was stopped */
  async function removeAll(
    what: 'slices' | 'opens' | 'receipts' | 'uniqueIds',
    removeSome: (limit: number) => Promise<number>,
  ): Promise<boolean> {
    const { rows, isDone } = await repeatStep(
      removeSome,
      { limit: limits[what], pauseMs: limits.pauseMs },
      stop,
    );
    pruned[what] += rows;
    return isDone;
  }

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
      await repeatStep(deleteSome, { limit: limits.opens, pauseMs: limits.pauseMs }, stop);
    }
    while (!stop.aborted) {
      const keys = await findUnpruned(db, endedBefore, limits.notifications);
      if (keys.length === 0) return;
      const isDone =
        (await removeAll('slices', async (limit) => deleteSlices(db, keys, limit))) &&
        (await removeAll('opens', async (limit) => deleteOpens(db, keys, limit))) &&
        (await removeAll('receipts', async (limit) => deleteReceiptMarks(db, keys, limit))) &&
        (await removeAll('uniqueIds', async (limit) => deleteUniqueIds(db, keys, limit)));
      if (!isDone) return;
      await markPruned(db, keys, clock());
      await deleteTroubles(db, keys);
      pruned.notifications += keys.length;
      await pause(limits.pauseMs, stop);
    }
  });
  return pruned;
}

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
