import type { AnswerHeaders } from '@carillon/http2-client';

/** Longer waits are cut to an hour, as Mozilla's push service does: a peer that asks for a year has made a mistake. */
const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;

/** Accepts a fraction and a unit too. RFC 9110 does not allow them, but gateways and proxies send them. */
const SECONDS = /^\d+(?:\.\d*)?\s*s?$/;
/** The three forms of an HTTP date (RFC 9110, section 5.6.7), which all begin with the day of the week. */
const DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d:\d\d:\d\d/i;
/** `asctime` names no zone. It is GMT, but `Date.parse` would assume our own zone. */
const ASCTIME = /\d:\d\d:\d\d \d{4}$/;

/**
 * The wait that the peer asks for, in milliseconds: `Retry-After` as seconds or as an HTTP date (RFC 9110, section
 * 10.2.3); of a list, the longest. 0 if the date is past, null if the header is missing or invalid. The caller has its own
 * shortest wait: a peer that is down often says 0.
 */
export function retryAfterMs(headers: AnswerHeaders, now: Date): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  const ms = DATE.test(value) ? dateMs(value) - now.getTime() : secondsMs(value);
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}

function dateMs(text: string): number {
  return Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
}

/** NaN if a value of the list is no number. */
function secondsMs(text: string): number {
  const values = text.split(',').map((value) => value.trim());
  return Math.max(
    ...values.map((value) =>
      SECONDS.test(value) ? Math.round(Number.parseFloat(value) * 1000) : Number.NaN,
    ),
  );
}
