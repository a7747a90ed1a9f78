import type { TransportFailure } from './transport-reason.ts';

/** Response headers by their lower-case names, pseudo-headers included. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/**
 * A response. The body is text, cut after 16 KiB; with status 200 it is empty, because nobody reads it. If the stream
 * breaks off after the headers, only a 200 counts as answered: it alone shows that the peer accepted the request. With
 * `bodyBytesMax`, bodies are kept up to that size whatever the status, and a 200 that breaks off is not answered.
 */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/**
 * - `never_sent`: the peer did not process the request, so it can be sent again without repeating anything.
 * - `ambiguous`: the request was written but not fully answered; the peer may or may not have processed it.
 */
export interface Unanswered extends TransportFailure {
  readonly kind: 'never_sent' | 'ambiguous';
}

/** The result of one request. */
export type Answer = Answered | Unanswered;
