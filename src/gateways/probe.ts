/** Checks whether a gateway's host can be reached, and defines the result of checking credentials. */
import type { Clock } from '../clock.ts';
import { askGateway, type Question } from './single-request.ts';
import { surelyAheadMs } from './clock-ahead.ts';

/**
 * The result of a test push, which cannot reach any device.
 * - `good`: the gateway accepts the credentials and rejects only the recipient.
 * - `refused`: it rejects the credentials; `reason` is the gateway's code.
 * - `unknown`: it was not reached, or its answer shows neither.
 */
export type Probe = { result: 'good' } | { result: 'refused' | 'unknown'; reason: string };

export type HostProbe =
  | {
      reached: true;
      /** How far our clock is ahead of the gateway's, to the second; undefined if it sends no time. */
      aheadMs: number | undefined;
    }
  | { reached: false; reason: string };

/** Checks that a host answers in HTTP/2 over trusted TLS, and compares the clocks. */
export async function probeHost(
  host: Pick<Question, 'url' | 'ca' | 'proxy' | 'path'>,
  clock: Clock,
): Promise<HostProbe> {
  const asked = clock().getTime();
  const answer = await askGateway({ ...host, headers: ['content-type', 'application/json'], body: '{}' });
  if (answer.kind !== 'answered') return { reached: false, reason: answer.reason };
  return { reached: true, aheadMs: aheadOf(answer.headers['date'], clock, asked) };
}

/**
 * @param date the `Date` header of the answer that has just come
 * @param asked when it was asked for, in milliseconds
 */
export function aheadOf(date: string | undefined, clock: Clock, asked: number): number | undefined {
  const theirs = Date.parse(date ?? '');
  return Number.isNaN(theirs) ? undefined : surelyAheadMs({ asked, answered: clock().getTime() }, theirs);
}
