/**
 * Clears away what is kept by device of notifications that ended long ago: their slices, with the outcomes in
 * them, and their opens. A notification's row and counters stay. One worker at a time, a bounded number of
 * rows a statement and a pause after each, so that nobody else notices; what is not done when a worker stops
 * is done the next time.
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
  /** Days after its end for which a notification is known by device. */
  keepDays: number;
}

export interface PruneLimits {
  /** Notifications taken on at a time. */
  notifications: number;
  /** Rows of each table a statement. A slice holds about 22 KB: 200 are some 4 MB to remove. */
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
 * Prunes all there is to prune, unless another worker is at it.
 * @param stop ends it after the statement under way
 * @returns what was removed
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

  /** Whether all were removed, and not only as many as there was time for. */
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
