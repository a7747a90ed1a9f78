/**
 * Deletes the per-device results of notifications that ended long ago: slices with their outcomes, and opens. The
 * notification's row and counters stay. One worker at a time deletes a bounded number of rows per statement, with a
 * pause after each, so that other work is not slowed down. The next run continues where a stopped one ended.
 */
import { setTimeout as waitFor } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { Observe } from '../../observe.ts';
import type { PeriodicJob } from '../../periodically.ts';
import { deleteOpens, deleteSlices, findUnpruned, markPruned } from './prune-store.ts';

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
  pauseMs: number;
}

interface Pruned {
  notifications: number;
  slices: number;
  opens: number;
}

const LIMITS: PruneLimits = { notifications: 200, slices: 200, opens: 5_000, pauseMs: 100 };
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
  const pruned: Pruned = { notifications: 0, slices: 0, opens: 0 };
  // An abort ends the pause; the condition of the loop then ends the loop.
  const pause = async (): Promise<void> =>
    waitFor(limits.pauseMs, undefined, { signal: stop }).catch(() => undefined);

  /** @returns whether all were deleted; false if the run was stopped */
  async function removeAll(
    what: 'slices' | 'opens',
    removeSome: (limit: number) => Promise<number>,
  ): Promise<boolean> {
    while (!stop.aborted) {
      const removed = await removeSome(limits[what]);
      pruned[what] += removed;
      if (removed < limits[what]) return true;
      await pause();
    }
    return false;
  }

  await withTryLock(db, PRUNE_LOCK, async (connection) => {
    while (!stop.aborted) {
      const keys = await findUnpruned(connection, endedBefore, limits.notifications);
      if (keys.length === 0) return;
      const isDone =
        (await removeAll('slices', async (limit) => deleteSlices(connection, keys, limit))) &&
        (await removeAll('opens', async (limit) => deleteOpens(connection, keys, limit)));
      if (!isDone) return;
      await markPruned(connection, keys, clock());
      pruned.notifications += keys.length;
      await pause();
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
      if (pruned.notifications + pruned.slices + pruned.opens > 0) {
        context.observe({ kind: 'pruned', ...pruned });
      }
    },
  };
}
