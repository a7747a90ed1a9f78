/** A request in a pool, from the call of `request` to its answer, across all attempts. */
import type { Answer } from './answer.ts';
import type { Http2Request } from './outgoing.ts';
import type { PoolLimits } from './pool-options.ts';
import type { Waiting } from './request-queue.ts';
import type { TransportFailure } from './transport-reason.ts';

export interface Pending extends Http2Request, Waiting {
  waitingSince: number;
  readonly resolve: (answer: Answer) => void;
  readonly isWanted: () => boolean;
  /** How often the request came back unprocessed. */
  attempts: number;
  /** How often the request was sent again after an ambiguous attempt. */
  repeats: number;
  /** Why the first attempt was ambiguous; undefined while the peer cannot have processed the request. */
  doubt: TransportFailure | undefined;
}

/** Counts the attempt. @returns whether another one follows */
export function isSentAgain(
  pending: Pending,
  answer: Answer,
  { attemptsMax, repeatsIfAmbiguous }: PoolLimits,
): boolean {
  switch (answer.kind) {
    case 'answered':
      return false;
    case 'never_sent':
      pending.attempts += 1;
      return pending.attempts < attemptsMax;
    case 'ambiguous':
      pending.doubt ??= { reason: answer.reason, detail: answer.detail };
      pending.repeats += 1;
      return pending.repeats <= repeatsIfAmbiguous;
  }
}

/** A request that may have been processed ends as `ambiguous`, even if its last attempt was never sent. */
export function end({ doubt, resolve }: Pending, answer: Answer): void {
  if (answer.kind === 'never_sent' && doubt !== undefined) resolve({ kind: 'ambiguous', ...doubt });
  else resolve(answer);
}
