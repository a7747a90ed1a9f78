import type { Clock } from '../clock.ts';
import type { Verdict } from '../gateways/gateway.ts';

/** Response headers by their name in lower case, as HTTP/2 has them, pseudo-headers included. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/**
 * The peer's own words; the body is its first 16 KiB or a little more, as text; with status 200 it is not kept. Only a
 * 200 may have been cut off by the peer: the push was taken.
 */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/**
 * What became of one request over HTTP/2.
 * - `answered`: the peer has said what it thinks of it.
 * - `never_sent`: the peer did not process it; sending it again repeats nothing.
 * - `ambiguous`: written, and not answered to the end; the peer may or may not have processed it.
 */
export type Answer =
  Answered | { kind: 'never_sent'; reason: string } | { kind: 'ambiguous'; reason: string };

/**
 * Whether an answer that is neither yes nor a reason asks for another try: 408 (the peer waited too long for the
 * request), 421 (it came over a connection that is not for this origin) and 425 (too early) of a proxy between us may
 * be repeated by anyone (RFC 9110, sections 15.5.9 and 15.5.20; RFC 8470, section 5.2), and so may 5xx.
 */
export function isWorthAnotherTry(status: number): boolean {
  return status === 408 || status === 421 || status === 425 || status >= 500;
}

/** @param judge what the gateway's own words mean, at the time that it may ask for */
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
 * A gateway's word for why it refused a push. It is logged and shown, so it is only taken for one where it is one
 * (`BadDeviceToken`, `INVALID_ARGUMENT`): whatever else an answer may echo, a push token has digits.
 */
export const REASON = /^[A-Za-z_]{1,64}$/;
