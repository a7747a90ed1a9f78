import type { Clock } from '../../clock.ts';
import type { Answered } from '@carillon/http2-client';
import { appleRefusalIn, isWorthAnotherTry } from '../transport-verdict.ts';
import { ACCEPTED, type Verdict } from '../gateway.ts';
import { isUuid } from '../../uuid.ts';
import { statusReason } from '../reason.ts';
import { retryAfterMs } from '../retry-after.ts';
import { TOO_MANY } from './provider-token.ts';

/**
 * Maps an answer of APNs to the verdict on a push. Never throws, whatever the status and the body.
 * Source: Apple, "Handling notification responses from APNs".
 */
export function apnsVerdict(answered: Answered, clock: Clock): Verdict {
  const { status } = answered;
  if (status === 200) return ACCEPTED;
  const { reason = statusReason(status), timestamp } = appleRefusalIn(answered.body);
  switch (reason) {
    case 'BadDeviceToken': // also a token of the other environment: dead in this one
    case 'DeviceTokenNotForTopic':
      return { kind: 'unregistered', reason, deadSince: null };
    case 'IdleTimeout':
      return { kind: 'retry', reason, afterMs: null, scope: 'device' };
    case TOO_MANY:
      return { kind: 'retry', reason, afterMs: retryAfterMs(answered.headers, clock()), scope: 'project' };
  }
  if (status === 410) return { kind: 'unregistered', reason, deadSince: dateOf(timestamp) };
  // Every 403 is about the certificate, the key or the provider token, never about one device.
  if (status === 403) return { kind: 'credentials_refused', reason };
  if (status === 429 || isWorthAnotherTry(status)) {
    return { kind: 'retry', reason, afterMs: retryAfterMs(answered.headers, clock()), scope: 'device' };
  }
  return { kind: 'rejected', reason };
}

/**
 * The same for Apple's sandbox, which returns an id for each push that it accepts. With it, Apple's Push Notifications
 * Console shows what became of the push.
 */
export function apnsSandboxVerdict(answered: Answered, clock: Clock): Verdict {
  const verdict = apnsVerdict(answered, clock);
  const uniqueId = verdict === ACCEPTED ? answered.headers['apns-unique-id'] : undefined;
  return uniqueId !== undefined && isUuid(uniqueId) ? { kind: 'accepted', uniqueId } : verdict;
}

/** Apple's timestamp is in milliseconds. One that is out of range for Date is ignored. */
function dateOf(timestamp: number | undefined): Date | null {
  if (timestamp === undefined) return null;
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? null : date;
}
