/** Periodic work: a timer for work that every process does, the type of a job that all workers share, and steps of jobs. */
import { setTimeout as waitFor } from 'node:timers/promises';

/** A feature declares it, `main.ts` lists it, and `queue/periodic-jobs.ts` runs it. */
export interface PeriodicJob {
  /** Its name in the log and in the queue: lower case, words joined by hyphens. */
  name: string;
  everyMs: number;
  /**
   * May run twice, even at the same time in two processes.
   * @param stop aborted on shutdown; the job must then return soon
   * @throws any error: it is logged, and the job runs again when it is next due
   */
  run: (stop: AbortSignal) => Promise<void>;
}

/**
 * Runs `work` now and at each interval until closed. Skips a run if the previous one is still in progress.
 * @param work handles its own failures, and ends soon after `stop` is aborted
 * @returns `close` aborts `stop` and waits for the run in progress
 */
export function startPeriodically(
  everyMs: number,
  work: (stop: AbortSignal) => Promise<void>,
): { close(): Promise<void> } {
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  const turn = (): void => {
    working ??= work(stop.signal).finally(() => {
      working = undefined;
    });
  };
  const timer = setInterval(turn, everyMs);
  turn();
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await working;
    },
  };
}

/** Waits between two steps of a job. An abort of `stop` ends the wait, and does not throw. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, { signal: stop }).catch(() => undefined);
}

export interface StepLimits {
  limit: number;
  /** The pause after a step, which leaves the database to other work. */
  pauseMs: number;
}

/**
 * Repeats a step until nothing is left for it.
 * @param step handles at most `limit` rows, and returns how many: fewer than `limit` if none are left
 * @param stop ends the run after the current step
 * @returns the number of rows, and whether all are done
 */
export async function repeatStep(
  step: (limit: number) => Promise<number>,
  { limit, pauseMs }: StepLimits,
  stop: AbortSignal,
): Promise<{ rows: number; isDone: boolean }> {
  let rows = 0;
  while (!stop.aborted) {
    const handled = await step(limit);
    rows += handled;
    if (handled < limit) return { rows, isDone: true };
    await pause(pauseMs, stop);
  }
  return { rows, isDone: false };
}
