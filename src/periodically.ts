/** Periodic work: a timer for work that every process does, and the type of a job that all workers share. */

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
