/** The source of the current time. Passed in everywhere, so that tests control it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** Smaller steps back are normal clock corrections. */
const STEP_BACK_MS_MIN = 5_000;

/**
 * Detects that a clock was set back: times stored earlier may then lie in the future.
 * @param monotonicMs a monotonic clock, in milliseconds
 * @returns a function that returns whether the clock was set back since the previous call
 */
export function watchClock(clock: Clock, monotonicMs: () => number): () => boolean {
  let offsetMs = clock().getTime() - monotonicMs();
  return () => {
    const nowMs = clock().getTime() - monotonicMs();
    const isPutBack = nowMs < offsetMs - STEP_BACK_MS_MIN;
    offsetMs = nowMs;
    return isPutBack;
  };
}
