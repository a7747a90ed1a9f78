const FIRST_DELAY_MS = 10_000;
const DELAY_MS_MAX = 60 * 60_000;
const GIVEN_UP_AFTER_MS = 24 * 60 * 60_000;
/** Up to this share is added to a delay, so that events that failed together are not retried together. */
const JITTER = 0.2;

/**
 * The time of the next attempt after a failed one. The delay is 10 seconds at first and doubles each time, up to an
 * hour.
 * @param random 0 to 1
 * @returns undefined if that is more than a day after the event
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
