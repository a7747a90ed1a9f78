/**
 * Shares the event loop between reading imports and all else that the process does: however many imports are under way,
 * together they read for a few milliseconds a turn. What a request waits for it is a few of these turns.
 */

export interface Turns {
  /**
   * To be asked before every piece of work of less than a millisecond.
   * @returns undefined where the turn has time left for it, else what resolves in a later turn
   */
  whenFree(): Promise<void> | undefined;
}

/** A turn more costs some 30 µs, and a request takes a few turns: with 5 ms, a health check took twice as long. */
const SHARE_MS = 2;

/**
 * @param nowMs a clock that never goes back, in milliseconds
 * @param inNextTurn runs the function once what is waiting in the event loop has had its turn
 */
export function makeTurns(nowMs: () => number, inNextTurn: (run: () => void) => void): Turns {
  const waiting: (() => void)[] = [];
  let endsMs: number | undefined; // of the share of this turn

  const begin = (): number => {
    inNextTurn(next);
    return nowMs() + SHARE_MS;
  };
  const next = (): void => {
    endsMs = undefined;
    const first = waiting.shift();
    if (first === undefined) return;
    endsMs = begin();
    first();
  };
  return {
    whenFree: () => {
      endsMs ??= begin();
      if (nowMs() < endsMs) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Of this process. */
export const importTurns = makeTurns(() => performance.now(), setImmediate);
