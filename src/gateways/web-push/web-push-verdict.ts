import type { Clock } from '../../clock.ts';
import type { Answered } from '@carillon/http2-client';
import { ACCEPTED, type Verdict } from '../gateway.ts';
import { type OwnReason, statusReason } from '../reason.ts';
import { retryAfterMs } from '../retry-after.ts';
import { appleRefusalIn, isWorthAnotherTry } from '../transport-verdict.ts';

/** Apple's words for a token of ours that no subscription could be the cause of. */
const TOKEN_REFUSED: ReadonlySet<string> = new Set(['BadJwtToken', 'ExpiredJwtToken', 'MissingJwtToken']);
/** So many pushes to one browser: Microsoft's word for 429. */
const TOO_MANY_AT_MICROSOFT = 406;

/** For services that answer without a word. */
const OWN_WORDS: Readonly<Record<number, OwnReason>> = {
  401: 'wrong_vapid_key',
  403: 'wrong_vapid_key',
  404: 'subscription_unknown',
  410: 'subscription_gone',
  413: 'too_large',
};

/**
 * Maps an answer of a push service to the verdict on a push. Never throws, whatever the status and the body. Sources: RFC 8030,
 * sections 5 and 8.4; Apple, "Sending web push notifications"; Mozilla, "Autopush error codes"; Microsoft, "Push notification service
 * request and response headers".
 */
export function webPushVerdict(answered: Answered, clock: Clock): Verdict {
  const { status, headers } = answered;
  if (status >= 200 && status <= 299) return ACCEPTED;
  // Only Apple answers with a word.
  const { reason = OWN_WORDS[status] ?? statusReason(status) } = appleRefusalIn(answered.body);
  if (status === 404 || status === 410) return { kind: 'unregistered', reason, deadSince: null };
  if (TOKEN_REFUSED.has(reason)) return { kind: 'credentials_refused', reason };
  const isTooMany =
    status === 429 || (status === TOO_MANY_AT_MICROSOFT && headers['retry-after'] !== undefined);
  if (isTooMany || isWorthAnotherTry(status)) {
    return { kind: 'retry', reason, afterMs: retryAfterMs(headers, clock()), scope: 'device' };
  }
  // 401 and 403 mostly say that the browser subscribed with another key of ours: then all others still work.
  return { kind: 'rejected', reason };
}
