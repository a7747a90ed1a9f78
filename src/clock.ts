/** Where the time comes from. Handed in everywhere, so that tests own it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** A step back of less is no more than what clocks are corrected by. */
const STEP_BACK_MS_MIN = 5_000;

/**
 * Notices when a clock is put back: what was stored by it until then may lie in the future.
 * @param monotonicMs a clock that is never put back, in milliseconds
 * @returns whether that has happened since it was asked before
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
