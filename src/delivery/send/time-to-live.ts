/** The deadlines of a notification's pushes: nothing is sent after its time to live, whatever delayed it. */
import type { PushMessage } from '../../gateways/gateway.ts';

/** How late a push with a time to live of 0 ("now or never") may leave, because sending a bulk notification takes a while. */
const ONCE_GRACE_MS = 60_000;
/** The longest time for which a push is retried, from its due time or from the first attempt, whichever is later. */
const TRY_FOR_MS_MAX = 24 * 60 * 60_000;

export interface Deadline {
  /** No push leaves after this moment (Unix ms): no first attempt, no retry, no repeat. */
  readonly sendUntilMs: number;
  /** A push whose retry would be due after this moment (Unix ms) is given up. */
  readonly retryUntilMs: number;
  /** Whether a push that has left is never sent again, whatever the gateway answers. */
  readonly isOnce: boolean;
}

/** @param nowMs when this attempt at the slice began (Unix ms) */
export function deadlineOf(
  { dueAt, timeToLiveSeconds }: Pick<PushMessage, 'dueAt' | 'timeToLiveSeconds'>,
  nowMs: number,
): Deadline {
  const dueMs = dueAt.getTime();
  const isOnce = timeToLiveSeconds === 0;
  const sendUntilMs = dueMs + (isOnce ? ONCE_GRACE_MS : timeToLiveSeconds * 1_000);
  return {
    sendUntilMs,
    retryUntilMs: Math.min(sendUntilMs, Math.max(dueMs, nowMs) + TRY_FOR_MS_MAX),
    isOnce,
  };
}
