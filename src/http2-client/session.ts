/**
 * One connection to a push gateway over time: how long to wait for it, for its answers, and for a sign of life.
 * The connection says what became of each request; the session says when to stop waiting for it.
 */
import type { SecureContext } from 'node:tls';
import type { Answer } from './answer.ts';
import { Http2Connection } from './connection.ts';
import type { Exchange, Schedule } from './outgoing.ts';
import type { TransportFailure, TransportReason } from './transport-reason.ts';

const CLOSED_BY_US: TransportFailure = { reason: 'closed_by_us' };

export interface SessionLimits {
  /** The most streams open at once, where the peer allows as many. */
  streamsMax: number;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long answers are waited for that may still come after a GOAWAY with an error code. */
  drainAfterErrorMs: number;
  /** Silence before a PING, while requests are in flight and while none are. */
  pingAfterBusyMs: number;
  pingAfterIdleMs: number;
  pingTimeoutMs: number;
}

export interface SessionOptions<Sent extends Exchange> {
  origin: string;
  /** Whom to trust, where not Node's own certificate authorities alone. */
  secureContext: SecureContext | undefined;
  limits: SessionLimits;
  schedule: Schedule;
  /** The peer's first SETTINGS have come: streams may be opened. */
  onOpen(): void;
  /** Streams may have become free without an exchange ending. */
  onRoom(): void;
  /** Called exactly once for every exchange sent, never while `send` runs; `durationMs` counts from `send`. */
  onAnswer(exchange: Sent, answer: Answer, durationMs: number): void;
  /** The last event; every exchange has been answered for. */
  onEnd(failure: TransportFailure): void;
}

export class Session<Sent extends Exchange> {
  /** Whether any answer has come; until then Apple allows one stream only, and a loss counts as a failure to connect. */
  hasAnswered = false;
  #state: 'connecting' | 'open' | 'draining' | 'ended' = 'connecting';
  #stateSince = performance.now();
  /** The peer has said GOAWAY with an error code. */
  #isFailing = false;
  #heardAt = performance.now();
  #pingSentAt: number | undefined;
  readonly #options: SessionOptions<Sent>;
  readonly #connection: Http2Connection<Sent>;
  readonly #ended: Promise<void>;

  constructor(options: SessionOptions<Sent>) {
    this.#options = options;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#ended = ended;
    this.#connection = new Http2Connection<Sent>(options, {
      onSettings: () => {
        this.#heardAt = performance.now();
        if (this.#state === 'connecting') {
          this.#enter('open');
          options.onOpen();
        }
        options.onRoom();
      },
      onAnswer: ({ exchange, sentAt }, answer) => {
        const now = performance.now();
        if (answer.kind === 'answered') {
          this.hasAnswered = true;
          this.#heardAt = now;
        }
        options.onAnswer(exchange, answer, now - sentAt);
      },
      onDraining: (isError) => {
        if (this.#state !== 'draining' || (isError && !this.#isFailing)) this.#enter('draining');
        this.#isFailing ||= isError;
      },
      onPong: () => {
        this.#pingSentAt = undefined;
        this.#heardAt = performance.now();
        options.onRoom();
      },
      onRoom: () => options.onRoom(),
      onClose: (failure) => {
        this.#enter('ended');
        end();
        options.onEnd(failure);
      },
    });
  }

  /** Whether it takes exchanges now or may do so later. */
  get isUsable(): boolean {
    return this.#state === 'connecting' || this.#state === 'open';
  }

  /** How many more streams may be opened now; none while the session's health is in doubt. */
  get room(): number {
    if (this.#state !== 'open' || this.#pingSentAt !== undefined || !this.#connection.isWritable) return 0;
    const streamsMax = Math.min(this.#options.limits.streamsMax, this.#connection.peerStreamsMax);
    return streamsMax - this.#connection.size;
  }

  send(exchange: Sent): void {
    if (this.#connection.send(exchange)) return;
    const answer = { kind: 'never_sent', reason: 'headers_too_large' } as const;
    queueMicrotask(() => this.#options.onAnswer(exchange, answer, 0));
  }

  /** Called every so often: ends what has waited too long, and asks a silent peer whether it lives. */
  sweep(now: number): void {
    const { limits } = this.#options;
    for (const stream of this.#connection.streams) {
      if (now - stream.sentAt < limits.requestTimeoutMs) break; // in the order of sending
      // Whatever answers its PINGs, it does not answer for pushes: they are sent elsewhere from now on.
      this.#connection.end({ reason: 'requests_unanswered' });
      this.#connection.cancel(stream, { reason: 'answer_timeout' });
    }
    const late = this.#lateness(now);
    if (late !== undefined) {
      this.#connection.destroy({ reason: late });
    } else if (this.#state === 'open' && this.#pingSentAt === undefined) {
      const pingAfterMs = this.#connection.size > 0 ? limits.pingAfterBusyMs : limits.pingAfterIdleMs;
      if (now - this.#heardAt < pingAfterMs) return;
      this.#pingSentAt = now;
      this.#connection.ping();
    }
  }

  /** Lets the streams in flight finish for at most `timeoutMs`, then ends; resolves when the socket is closed. */
  async close(timeoutMs: number): Promise<void> {
    this.#connection.end(CLOSED_BY_US);
    const deadline = setTimeout(() => this.#connection.destroy(CLOSED_BY_US), timeoutMs);
    await this.#ended;
    clearTimeout(deadline);
  }

  /** What has taken too long, if anything has. */
  #lateness(now: number): TransportReason | undefined {
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
