import type { PushMessage } from './gateway.ts';

/**
 * The rest of the time to live, in seconds, rounded up: Google and the push services of browsers count it from the moment they accept
 * the push.
 */
export function secondsLeft(
  { dueAt, timeToLiveSeconds }: Pick<PushMessage, 'dueAt' | 'timeToLiveSeconds'>,
  nowMs: number,
): number {
  const leftMs = dueAt.getTime() + timeToLiveSeconds * 1_000 - nowMs;
  return Math.min(Math.max(Math.ceil(leftMs / 1_000), 0), timeToLiveSeconds);
}
