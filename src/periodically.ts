/** Repeated work: a timer for work that each process does, and the shape of a job that all workers share. */

/** Declared by the feature that it belongs to, listed in `main.ts`, run by `queue/periodic-jobs.ts`. */
export interface PeriodicJob {
  /** Names it in the log and in the queue: lower case, words joined by hyphens. */
  name: string;
  everyMs: number;
  /**
   * May run twice, also at the same time in two processes.
   * @param stop aborted on shutdown: return soon
   * @throws what made it fail; it is logged, and the job runs again when it is next due
   */
  run: (stop: AbortSignal) => Promise<void>;
}

/**
 * Runs `work` now and at each interval until closed, never twice at once: an interval that ends while the previous run
 * is in progress is skipped.
 * @param work handles its own failures, and ends soon once `stop` is aborted
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
