import type { AnswerHeaders } from '../http2-client/answer.ts';

/** Longer waits are cut to a day. */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1000;

/**
 * The wait that the peer asks for, in milliseconds: `Retry-After` as seconds or as an HTTP date (RFC 9110, section
 * 10.2.3). Null if the header is missing or invalid.
 */
export function retryAfterMs(headers: AnswerHeaders, now: Date): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}
