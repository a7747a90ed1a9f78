import type { TransportFailure } from './transport-reason.ts';

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
export type Answer = Answered | Unanswered;

export interface Unanswered extends TransportFailure {
  readonly kind: 'never_sent' | 'ambiguous';
}
