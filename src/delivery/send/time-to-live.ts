/** Until when the pushes of a notification may leave. Nothing is sent past its time to live, whatever held it up. */
import type { PushMessage } from '../../gateways/gateway.ts';

/** Of a device whose push had not left when the time to live was over. */
export const EXPIRED = 'time to live over before it could be sent';

/**
 * How late a push with a time to live of 0 may leave. "Now" is a moment for somebody who looks at it; to read an audience
 * and to send a broadcast takes longer.
 */
const ONCE_GRACE_MS = 60_000;
/** Nobody tries one push for longer; one that nobody could try until now is tried for as long as others. */
const TRY_FOR_MS_MAX = 24 * 60 * 60_000;

export interface Deadline {
  /** No push leaves after this moment (Unix ms): not the first, no retry, no repeat. */
  readonly sendUntilMs: number;
  /** What a gateway puts off to a later moment is given up (Unix ms). */
  readonly retryUntilMs: number;
  /** What has been sent once is not sent again, whatever the gateway says of it. */
  readonly isOnce: boolean;
}

/** @param nowMs when sending began here (Unix ms) */
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
