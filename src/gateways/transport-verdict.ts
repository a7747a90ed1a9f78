/** Turns the result of an HTTP/2 request into a verdict; with an answer, the gateway's own judge decides. */
import type { Clock } from '../clock.ts';
import type { Answer, Answered } from '../http2-client/answer.ts';
import type { Verdict } from './gateway.ts';

/**
 * Whether an answer that is neither yes nor a reason asks for another try: 408 (the peer waited too long for the
 * request), 421 (it came over a connection that is not for this origin) and 425 (too early) of a proxy between us may
 * be repeated by anyone (RFC 9110, sections 15.5.9 and 15.5.20; RFC 8470, section 5.2), and so may 5xx.
 */
export function isWorthAnotherTry(status: number): boolean {
  return status === 408 || status === 421 || status === 425 || status >= 500;
}

/**
 * Without an answer, the reason of the verdict is the code of the failure (`TransportReason`).
 * @param judge reads the gateway's own words; the clock is for timestamps among them
 */
export function verdictOf(
  answer: Answer,
  judge: (answered: Answered, clock: Clock) => Verdict,
  clock: Clock,
): Verdict {
  if (answer.kind === 'answered') return judge(answer, clock);
  if (answer.kind === 'ambiguous') return { kind: 'ambiguous', reason: answer.reason };
  return { kind: 'retry', reason: answer.reason, afterMs: null, scope: 'device', unsent: true };
}

/**
 * The form of a gateway's reason for a refusal (`BadDeviceToken`, `INVALID_ARGUMENT`). Reasons are logged and shown, and
 * an answer may echo anything: a push token has digits, so it never passes for a reason.
 */
export const REASON = /^[A-Za-z_]{1,64}$/;
