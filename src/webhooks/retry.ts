const FIRST_DELAY_MS = 10_000;
const DELAY_MS_MAX = 60 * 60_000;
const GIVEN_UP_AFTER_MS = 24 * 60 * 60_000;
/** Of a delay, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * When an event is sent again after its attempts so far have failed: after 10 seconds, then after twice as long each
 * time, up to an hour.
 * @param random 0 to 1
 * @returns undefined where that is more than a day after the event
 */
export function retryAt(
  { attempt, createdAt }: { attempt: number; createdAt: Date },
  now: Date,
  random: number,
): Date | undefined {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), DELAY_MS_MAX);
  const dueMs = now.getTime() + delayMs * (1 + JITTER * random);
  return dueMs - createdAt.getTime() > GIVEN_UP_AFTER_MS ? undefined : new Date(dueMs);
}
