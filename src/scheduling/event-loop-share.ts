/**
 * Limits how much of the event loop long calls use: all imports, batches of notifications, lists and searches of the process
 * together work for 2 ms per turn of the event loop, so that another request waits for a few such turns at most.
 */

export interface EventLoopShare {
  /**
   * Call it before each piece of work, which must take less than a millisecond.
   * @returns undefined if this turn has time left, otherwise a promise that resolves in a later turn
   */
  whenFree(): Promise<void> | undefined;
}

/**
 * Small, because a request takes a few turns: with 5 ms, a health check took twice as long. Not smaller, because each
 * turn costs some 30 µs.
 */
const SHARE_MS = 2;

/**
 * @param nowMs a monotonic clock, in milliseconds
 * @param inNextTurn runs the function after the other work that waits in the event loop
 */
export function makeEventLoopShare(
  nowMs: () => number,
  inNextTurn: (run: () => void) => void,
): EventLoopShare {
  const waiting: (() => void)[] = [];
  let shareEndsMs: number | undefined; // undefined until there is work in this turn

  const beginShare = (): number => {
    inNextTurn(next);
    return nowMs() + SHARE_MS;
  };
  const next = (): void => {
    shareEndsMs = undefined;
    const first = waiting.shift();
    if (first === undefined) return;
    shareEndsMs = beginShare();
    first();
  };
  return {
    whenFree: () => {
      shareEndsMs ??= beginShare();
      if (nowMs() < shareEndsMs) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

export const bulkShare = makeEventLoopShare(() => performance.now(), setImmediate);
