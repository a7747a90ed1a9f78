const FIRST_DELAY_MS = 10_000;
const DELAY_MS_MAX = 60 * 60_000;
const GIVEN_UP_AFTER_MS = 24 * 60 * 60_000;
/** Up to this share is added to a delay, so that events that failed together are not retried together. */
const JITTER = 0.2;

/**
 * The time of the next attempt after a failed one. The delay is 10 seconds at first and doubles each time, up to an
 * hour. A receiver that asks for a longer delay gets it, also up to an hour.
 * @param random 0 to 1
 * @param wantedMs the delay that the receiver asks for
 * @returns undefined if the next attempt would be more than a day after the event
 */
export function retryAt(
  { attempt, createdAt }: { attempt: number; createdAt: Date },
  now: Date,
  random: number,
  wantedMs = 0,
): Date | undefined {
  const delayMs = Math.min(Math.max(FIRST_DELAY_MS * 2 ** (attempt - 1), wantedMs), DELAY_MS_MAX);
  const dueMs = now.getTime() + delayMs * (1 + JITTER * random);
  return dueMs - createdAt.getTime() > GIVEN_UP_AFTER_MS ? undefined : new Date(dueMs);
}

/**
 * @param text the text of the header `Retry-After` (RFC 9110, 10.2.3): seconds, or a date; some send fractions of
 *   seconds
 * @returns 0 if there is no such header, or it is invalid
 */
export function retryAfterMs(text: string | undefined, now: Date): number {
  if (text === undefined) return 0;
  const ms = /^\d+(\.\d+)?$/.test(text.trim())
    ? Number(text) * 1_000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now.getTime()
      : 0;
  return ms > 0 ? ms : 0;
}
