import type { Verdict } from './gateway.ts';

/** Response headers by their name in lower case, as HTTP/2 has them, pseudo-headers included. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/**
 * What became of one request over HTTP/2.
 * - `answered`: the peer's status, headers and body (the first 16 KiB or a little more, as text).
 * - `never_sent`: the peer did not process it; sending it again repeats nothing.
 * - `ambiguous`: written, never answered; the peer may or may not have processed it.
 */
export type Answer =
  | { kind: 'answered'; status: number; headers: AnswerHeaders; body: string }
  | { kind: 'never_sent'; reason: string }
  | { kind: 'ambiguous'; reason: string };

/** @param judge what the gateway's own words mean */
export function verdictOf(
  answer: Answer,
  judge: (answered: Extract<Answer, { kind: 'answered' }>) => Verdict,
): Verdict {
  if (answer.kind === 'answered') return judge(answer);
  if (answer.kind === 'ambiguous') return { kind: 'ambiguous', reason: answer.reason };
  return { kind: 'retry', reason: answer.reason, afterMs: null, scope: 'device' };
}

/**
 * A gateway's word for why it refused a push. It is logged and shown, so it is only taken for one where it is one
 * (`BadDeviceToken`, `INVALID_ARGUMENT`): whatever else an answer may echo, a push token has digits.
 */
export const REASON = /^[A-Za-z_]{1,64}$/;
