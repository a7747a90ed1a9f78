/** Reasons why a request was not answered, or why a session ended: a closed list of codes, each with one sentence. */

const sentences = {
  // The request was never sent.
  no_free_stream: 'no stream became free in time',
  not_wanted: 'the request was no longer wanted',
  headers_too_large: 'the headers are larger than one frame',
  pool_closed: 'the client was closed before the request was sent',
  // One request failed, not the whole session.
  refused_stream: 'the peer refused the request with REFUSED_STREAM',
  refused_by_goaway: 'the peer refused the request with GOAWAY',
  stream_reset: 'the peer reset the stream',
  answer_timeout: 'no answer came in time',
  // The session ended, and every request on it failed.
  goaway: 'the peer ended the session with GOAWAY',
  protocol_error: 'the peer broke a rule of HTTP/2',
  not_http2: 'the peer does not speak HTTP/2',
  connection_failed: 'the connection failed',
  connect_timeout: 'the connection did not open in time',
  ping_timeout: 'a PING was not answered in time',
  requests_unanswered: 'the session left requests unanswered',
  drain_timeout: 'the session did not finish its requests in time',
  closed_by_peer: 'the peer closed the connection',
  closed_by_us: 'the client closed the session',
} as const;

export type TransportReason = keyof typeof sentences;

export interface TransportFailure {
  readonly reason: TransportReason;
  /**
   * The code of a network or TLS error, the name of an HTTP/2 error code, the broken rule, or the debug data of a
   * GOAWAY (up to 200 printable characters that the peer chose).
   */
  readonly detail?: string | undefined;
}

export function isTransportReason(text: string): text is TransportReason {
  return Object.hasOwn(sentences, text);
}

/** For logs and people: the sentence, followed by the details if there are any. */
export function describeFailure({ reason, detail }: TransportFailure): string {
  return detail === undefined ? sentences[reason] : `${sentences[reason]}: ${detail}`;
}
