/** Looks for due work periodically, and whenever it is woken; many attempts at it may be in progress at once. */

export interface Sweeps {
  readonly isClosing: boolean;
  readonly running: number;
  /** Sweeps soon; once more, if a sweep is in progress. */
  wake(): void;
  /** Begins an attempt, which handles its own failures. Its end wakes the next sweep. */
  begin(attempt: () => Promise<void>): void;
  /** Waits for the sweep and the attempts in progress, which must have a time limit. */
  close(): Promise<void>;
}

/** Runs until closed. @param sweep takes what is due and begins its attempts, until nothing is due or it is closing */
export function startSweeps(
  everyMs: number,
  sweep: (sweeps: Sweeps) => Promise<void>,
  onError: (error: unknown) => void,
): Sweeps {
  const running = new Set<Promise<void>>();
  let isClosing = false;
  let sweeping: Promise<void> | undefined;
  let sweepAgain = false;

  const sweepUntilDone = async (): Promise<void> => {
    try {
      do {
        sweepAgain = false;
        await sweep(sweeps);
      } while (sweepAgain && !sweeps.isClosing);
    } catch (error) {
      onError(error);
    }
    sweeping = undefined;
  };

  const wake = (): void => {
    if (isClosing) return;
    sweepAgain = true;
    sweeping ??= sweepUntilDone();
  };
  const sweeps: Sweeps = {
    get isClosing() {
      return isClosing;
    },
    get running() {
      return running.size;
    },
    wake,
    begin(attempt) {
      const ended = attempt().finally(() => {
        running.delete(ended);
        wake();
      });
      running.add(ended);
    },
    async close() {
      isClosing = true;
      clearInterval(timer);
      await sweeping;
      await Promise.all(running);
    },
  };
  const timer = setInterval(wake, everyMs);
  wake();
  return sweeps;
}
