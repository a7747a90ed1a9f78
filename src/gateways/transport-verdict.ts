/** Turns the result of an HTTP/2 request into a verdict. Answers are judged by a function of the gateway. */
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Answer, Answered } from '@carillon/http2-client';
import type { Verdict } from './gateway.ts';

/**
 * Whether a request is worth another try, judged by the status alone, for answers without a known reason. A client may
 * repeat a request after 408 (the peer waited too long for it), 421 (the connection is not for this origin) and 425
 * (too early), all of which a proxy may send (RFC 9110, sections 15.5.9 and 15.5.20; RFC 8470, section 5.2), and after
 * 5xx.
 */
export function isWorthAnotherTry(status: number): boolean {
  return status === 408 || status === 421 || status === 425 || status >= 500;
}

/**
 * Without an answer, the reason of the verdict is the code of the failure (`TransportReason`).
 * @param judge the gateway's function from answer to verdict; it needs the clock to read a wait given as a date
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
 * @param options `acceptedMax`: the highest status whose answer is not read further
 * @returns the answer; if it is to be read, after `beforeReading`
 */
export function heldBack(
  answer: Promise<Answer>,
  { beforeReading, acceptedMax }: { beforeReading: (() => Promise<void>) | undefined; acceptedMax: number },
): Promise<Answer> {
  // No async function here: at the rate of pushes its cost is measurable.
  if (beforeReading === undefined) return answer;
  return answer.then((held) =>
    held.kind === 'answered' && held.status > acceptedMax ? beforeReading().then(() => held) : held,
  );
}

/**
 * A gateway's reason for a refusal (`BadDeviceToken`, `INVALID_ARGUMENT`). Reasons are logged and shown,
 * and an answer may echo anything. A push token has digits, so it never matches.
 */
export const reasonText = z.string().regex(/^[A-Za-z_]{1,64}$/);

/** @returns undefined if the body has not that form: a truncated answer, or one that a proxy wrote */
export function parsedBody<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

const appleRefusal = z.object({
  reason: reasonText.optional().catch(undefined),
  /** When the token died, in milliseconds. */
  timestamp: z.number().optional().catch(undefined),
});

/** What Apple says in a refusal, to phones and to browsers. */
export function appleRefusalIn(body: string): z.output<typeof appleRefusal> {
  return parsedBody(appleRefusal, body) ?? {};
}
