/**
 * One connection with its timeouts: for connecting, for answers, and for a silent peer. The connection decides the
 * outcome of each request; the session decides when to stop waiting.
 *
 * A session is in one of four states:
 *
 * - **connecting**, from the start: TCP, TLS and the peer's SETTINGS. No request is sent yet. After `connectTimeoutMs`
 *   the session ends.
 * - **open**, from the first SETTINGS on: requests are sent while the peer allows more streams. If the peer is silent
 *   (for `pingAfterBusyMs` with requests in flight, `pingAfterIdleMs` without), a PING is sent, and no more requests
 *   until it is answered. After `pingTimeoutMs` without an answer the session ends.
 * - **draining**, after a GOAWAY, when stream ids have run out, when a request has timed out, or on `close`: no more
 *   requests are sent, but those in flight may still be answered. The session ends when all are answered, at the latest
 *   after `requestTimeoutMs`, or `drainAfterErrorMs` if the GOAWAY carried an error code.
 * - **ended**: the socket is closed, and each request has its answer. Every state can lead here, since a connection may
 *   break at any time. The state is final: the pool opens another session.
 */
import type { Answer } from './answer.ts';
import { type ConnectionOptions, Http2Connection } from './connection.ts';
import type { Http2Request } from './outgoing.ts';
import type { TransportFailure, TransportReason } from './transport-reason.ts';

const CLOSED_BY_US: TransportFailure = { reason: 'closed_by_us' };

export interface SessionLimits {
  /** The most streams open at once, if the peer allows that many. */
  streamsMax: number;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  /**
   * The time limit until the session has answered a request, if it is shorter: other requests may wait for the first
   * answer.
   */
  firstAnswerTimeoutMs: number;
  /** The time limit if the peer has answered requests that were sent later: it has probably forgotten this one. */
  overtakenTimeoutMs: number;
  /** The time left to requests in flight after a GOAWAY with an error code. */
  drainAfterErrorMs: number;
  /** Silence before a PING, with requests in flight and without. */
  pingAfterBusyMs: number;
  pingAfterIdleMs: number;
  pingTimeoutMs: number;
}

export interface SessionOptions<Request extends Http2Request> extends ConnectionOptions {
  limits: SessionLimits;
  /** The session has become open. */
  onOpen(): void;
  /** Streams may have become free without a request ending. */
  onWritable(): void;
  /** Called exactly once for every request sent, never while `send` runs; `durationMs` counts from `send`. */
  onAnswer(request: Request, answer: Answer, durationMs: number): void;
  /** The last event, after the answers to all requests. */
  onEnd(failure: TransportFailure): void;
}

export class Session<Request extends Http2Request> {
  /**
   * Until the first answer, Apple allows only one stream, and the pool counts the end of the session as a failure to
   * connect.
   */
  hasAnswered = false;
  #state: 'connecting' | 'open' | 'draining' | 'ended' = 'connecting';
  #stateSince = performance.now();
  /** The peer has sent GOAWAY with an error code. */
  #isFailing = false;
  #heardAt = performance.now();
  /** When the newest request that has been answered was sent. */
  #answeredSentAt = -Infinity;
  #pingSentAt: number | undefined;
  readonly #options: SessionOptions<Request>;
  readonly #connection: Http2Connection<Request>;
  readonly #ended: Promise<void>;

  constructor(options: SessionOptions<Request>) {
    this.#options = options;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#ended = ended;
    this.#connection = new Http2Connection<Request>(options, {
      onSettings: () => {
        this.#heardAt = performance.now();
        if (this.#state === 'connecting') {
          this.#enter('open');
          options.onOpen();
        }
        options.onWritable();
      },
      onAnswer: ({ request, sentAt }, answer) => {
        const now = performance.now();
        if (answer.kind === 'answered') {
          this.hasAnswered = true;
          this.#heardAt = now;
          this.#answeredSentAt = Math.max(this.#answeredSentAt, sentAt);
        }
        options.onAnswer(request, answer, now - sentAt);
      },
      onDraining: (isError) => {
        if (this.#state !== 'draining' || (isError && !this.#isFailing)) this.#enter('draining');
        this.#isFailing ||= isError;
      },
      onPong: () => {
        this.#pingSentAt = undefined;
        this.#heardAt = performance.now();
        options.onWritable();
      },
      onWritable: () => options.onWritable(),
      onClose: (failure) => {
        this.#enter('ended');
        end();
        options.onEnd(failure);
      },
    });
  }

  /** Whether the session accepts requests now or will do so later. */
  get isUsable(): boolean {
    return this.#state === 'connecting' || this.#state === 'open';
  }

  /** Streams that may be opened now; none while a PING is unanswered. */
  get freeStreams(): number {
    if (this.#state !== 'open' || this.#pingSentAt !== undefined || !this.#connection.isWritable) return 0;
    const streamsMax = Math.min(this.#options.limits.streamsMax, this.#connection.peerStreamsMax);
    return streamsMax - this.#connection.size;
  }

  /** To be called only while there are free streams. */
  send(request: Request): void {
    if (this.#connection.send(request)) return;
    const answer = { kind: 'never_sent', reason: 'headers_too_large' } as const;
    queueMicrotask(() => this.#options.onAnswer(request, answer, 0));
  }

  /** To be called regularly: gives up requests and sessions that take too long, and sends a PING to a silent peer. */
  checkTimeouts(now: number): void {
    const { limits } = this.#options;
    const { requestTimeoutMs, firstAnswerTimeoutMs, overtakenTimeoutMs } = limits;
    const answerMs = this.hasAnswered ? requestTimeoutMs : Math.min(requestTimeoutMs, firstAnswerTimeoutMs);
    for (const stream of this.#connection.streams) {
      const waitedMs = now - stream.sentAt;
      if (waitedMs < answerMs) {
        if (waitedMs < overtakenTimeoutMs || stream.sentAt >= this.#answeredSentAt) break; // in the order of sending
        // If such streams stayed open, they would use up the streams of others: at 1%, soon all of them.
        this.#connection.cancel(stream, { reason: 'answer_timeout' });
        continue;
      }
      // A peer that leaves requests unanswered gets no more requests, even if it answers PINGs.
      this.#connection.end({ reason: 'requests_unanswered' });
      this.#connection.cancel(stream, { reason: 'answer_timeout' });
    }
    const expired = this.#expired(now);
    if (expired !== undefined) {
      this.#connection.destroy({ reason: expired });
    } else if (this.#state === 'open' && this.#pingSentAt === undefined) {
      const pingAfterMs = this.#connection.size > 0 ? limits.pingAfterBusyMs : limits.pingAfterIdleMs;
      if (now - this.#heardAt < pingAfterMs) return;
      this.#pingSentAt = now;
      this.#connection.ping();
    }
  }

  /** Drains for at most `timeoutMs`; resolves when the socket is closed. */
  async close(timeoutMs: number): Promise<void> {
    this.#connection.end(CLOSED_BY_US);
    const deadline = setTimeout(() => this.#connection.destroy(CLOSED_BY_US), timeoutMs);
    await this.#ended;
    clearTimeout(deadline);
  }

  /** The timeout that has run out, if any. */
  #expired(now: number): TransportReason | undefined {
    const { connectTimeoutMs, requestTimeoutMs, drainAfterErrorMs, pingTimeoutMs } = this.#options.limits;
    const drainMs = this.#isFailing ? drainAfterErrorMs : requestTimeoutMs;
    const inStateMs = now - this.#stateSince;
    if (this.#pingSentAt !== undefined && now - this.#pingSentAt >= pingTimeoutMs) return 'ping_timeout';
    if (this.#state === 'connecting' && inStateMs >= connectTimeoutMs) return 'connect_timeout';
    if (this.#state === 'draining' && inStateMs >= drainMs) return 'drain_timeout';
    return undefined;
  }

  #enter(state: 'open' | 'draining' | 'ended'): void {
    this.#state = state;
    this.#stateSince = performance.now();
  }
}
