/**
 * One HTTP/2 session to a push gateway: opens streams within the peer's window, says of each exchange what
 * became of it, and notices when the peer drains (GOAWAY) or stalls (unanswered PING).
 */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Answer, AnswerHeaders } from './answer.ts';

export interface Exchange {
  /** A flat list of names and values, pseudo-headers included: what node:http2 takes without copying. */
  readonly headers: readonly string[];
  readonly body: Buffer | string;
}

export interface SessionLimits {
  /** The most streams open at once, where the peer allows as many. */
  streamsMax: number;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
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
  /** The peer's first SETTINGS have come: streams may be opened. */
  onOpen(): void;
  /** Streams may have become free without an exchange ending. */
  onRoom(): void;
  /** Called exactly once for every exchange sent, never while `send` runs; `durationMs` counts from `send`. */
  onAnswer(exchange: Sent, answer: Answer, durationMs: number): void;
  /** The last event; every exchange has been answered for. */
  onEnd(reason: string): void;
}

interface Flight<Sent> {
  readonly exchange: Sent;
  readonly stream: ClientHttp2Stream;
  readonly sentAt: number;
  status: number;
  headers: AnswerHeaders;
  chunks: Buffer[] | undefined;
  bodyBytes: number;
  timedOut: boolean;
}

/** Answers of both gateways are well under 4 KiB; a proxy's error page is cut here. */
const BODY_BYTES_MAX = 65_536;
const REQUEST_OPTIONS = { endStream: false } as const;
const NO_HEADERS: AnswerHeaders = {};

export class Session<Sent extends Exchange> {
  /** Whether any answer has come; until then Apple allows one stream only, and a loss counts as a failure to connect. */
  hasAnswered = false;
  #state: 'connecting' | 'open' | 'draining' | 'ended' = 'connecting';
  #endReason: string | undefined;
  #streamsMax = 0;
  /** Streams above this one were not processed (RFC 9113, section 6.8). */
  #lastProcessedId = Number.POSITIVE_INFINITY;
  /** A GOAWAY with an error code lends that code to every stream it ends, REFUSED_STREAM included. */
  #failedByPeer = false;
  #stateSince = performance.now();
  #heardAt = performance.now();
  #pingSentAt: number | undefined;
  #socket: Socket | undefined;
  readonly #inFlight = new Set<Flight<Sent>>();
  readonly #options: SessionOptions<Sent>;
  readonly #http2: ClientHttp2Session;

  constructor(options: SessionOptions<Sent>) {
    this.#options = options;
    this.#http2 = connect(options.origin, {
      settings: { enablePush: false },
      ...(options.secureContext !== undefined && { secureContext: options.secureContext }),
    });
    this.#http2.on('connect', (_session, socket) => {
      this.#socket = socket;
    });
    this.#http2.on('remoteSettings', (settings) => {
      this.#streamsMax = Math.min(options.limits.streamsMax, settings.maxConcurrentStreams ?? Infinity);
      this.#heardAt = performance.now();
      if (this.#state === 'connecting') {
        this.#enter('open');
        options.onOpen();
      }
      options.onRoom();
    });
    this.#http2.on('goaway', (code, lastStreamId) => {
      this.#lastProcessedId = Math.min(this.#lastProcessedId, lastStreamId);
      this.#failedByPeer = code !== constants.NGHTTP2_NO_ERROR;
      this.#endReason ??= `GOAWAY with code ${code}`;
      this.#enter('draining'); // node:http2 takes it from here: close() on no error, else destroy()
    });
    this.#http2.on('error', (error) => {
      this.#endReason ??= errorReason(error);
    });
    this.#http2.on('close', () => {
      this.#enter('ended');
      for (const flight of this.#inFlight) this.#finish(flight);
      options.onEnd(this.#endReason ?? 'closed by the peer');
    });
  }

  /** Whether it takes exchanges now or may do so later. */
  get isUsable(): boolean {
    return this.#state === 'connecting' || this.#state === 'open';
  }

  /** How many more streams may be opened now; none while the session's health is in doubt. */
  get room(): number {
    if (this.#state !== 'open' || this.#pingSentAt !== undefined) return 0;
    return this.#streamsMax - this.#inFlight.size;
  }

  send(exchange: Sent): void {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#http2.request(exchange.headers, REQUEST_OPTIONS);
    } catch (error) {
      // A session that ended under us, on some versions of Node, or a header that HTTP/2 cannot carry.
      queueMicrotask(() => this.#options.onAnswer(exchange, neverSent(errorReason(error)), 0));
      return;
    }
    const flight: Flight<Sent> = {
      exchange,
      stream,
      sentAt: performance.now(),
      status: 0,
      headers: NO_HEADERS,
      chunks: undefined,
      bodyBytes: 0,
      timedOut: false,
    };
    this.#inFlight.add(flight);
    stream.on('response', (headers) => {
      flight.status = headers[':status'] ?? 0;
      flight.headers = headers;
      this.#heardAt = performance.now();
    });
    stream.on('data', (chunk: Buffer) => {
      if (flight.bodyBytes >= BODY_BYTES_MAX) return;
      flight.bodyBytes += chunk.length;
      (flight.chunks ??= []).push(chunk);
    });
    stream.on('error', ignore); // 'close' follows, and tells more
    stream.on('close', () => this.#finish(flight));
    stream.end(exchange.body);
  }

  /** Called every so often: ends what has waited too long, and asks a silent peer whether it lives. */
  sweep(now: number): void {
    const { limits } = this.#options;
    const isLate =
      (this.#state === 'connecting' && now - this.#stateSince >= limits.connectTimeoutMs) ||
      (this.#state === 'draining' && now - this.#stateSince >= limits.requestTimeoutMs) ||
      (this.#pingSentAt !== undefined && now - this.#pingSentAt >= limits.pingTimeoutMs);
    for (const flight of this.#inFlight) {
      if (now - flight.sentAt < limits.requestTimeoutMs) break; // in the order of sending
      this.#timeOut(flight);
    }
    if (isLate) {
      this.#destroy(this.#pingSentAt === undefined ? `${this.#state} for too long` : 'PING unanswered');
    } else if (this.#state === 'open' && this.#pingSentAt === undefined) {
      const pingAfterMs = this.#inFlight.size > 0 ? limits.pingAfterBusyMs : limits.pingAfterIdleMs;
      if (now - this.#heardAt >= pingAfterMs) this.#ping(now);
    }
  }

  /** Lets the streams in flight finish for at most `timeoutMs`, then ends; resolves when the socket is closed. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#state === 'ended') return;
    this.#endReason ??= 'closed by us';
    const ended = new Promise<void>((resolve) => {
      this.#http2.once('close', resolve);
    });
    if (this.#state === 'connecting') this.#http2.destroy();
    else this.#http2.close();
    const deadline = setTimeout(() => this.#destroy('closed by us'), timeoutMs);
    await ended;
    clearTimeout(deadline);
  }

  #enter(state: 'open' | 'draining' | 'ended'): void {
    this.#state = state;
    this.#stateSince = performance.now();
  }

  #ping(now: number): void {
    this.#pingSentAt = now;
    this.#http2.ping((error) => {
      if (error !== null) return; // the session is ending
      this.#pingSentAt = undefined;
      this.#heardAt = performance.now();
      this.#options.onRoom();
    });
  }

  /** Also the socket: after a graceful close, node:http2 would wait for a silent peer to hang up. */
  #destroy(reason: string): void {
    this.#endReason ??= reason;
    this.#http2.destroy();
    this.#socket?.destroy();
  }

  #timeOut(flight: Flight<Sent>): void {
    if (flight.timedOut) return;
    flight.timedOut = true; // it stays in flight: the stream is taken until it is closed
    flight.stream.close(constants.NGHTTP2_CANCEL);
    this.#answer(flight, 'no answer in time');
  }

  #finish(flight: Flight<Sent>): void {
    if (!this.#inFlight.delete(flight)) return;
    if (flight.timedOut) this.#options.onRoom();
    else this.#answer(flight, 'the stream ended without an answer');
  }

  #answer(flight: Flight<Sent>, otherwise: string): void {
    const answer = this.#answerOf(flight, otherwise);
    this.#options.onAnswer(flight.exchange, answer, performance.now() - flight.sentAt);
  }

  #answerOf(flight: Flight<Sent>, otherwise: string): Answer {
    const { stream, status, headers, chunks } = flight;
    if (status !== 0) {
      this.hasAnswered = true;
      return { kind: 'answered', status, headers, body: chunks === undefined ? '' : text(chunks) };
    }
    if (stream.id === undefined) {
      // Never given a number: the session is ending, or has used up its 2^30 numbers and must be replaced.
      if (this.#state === 'open') {
        this.#enter('draining');
        this.#http2.close();
      }
      return neverSent('the session takes no more streams');
    }
    if (stream.id > this.#lastProcessedId) return neverSent('refused by GOAWAY');
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && !this.#failedByPeer) {
      return neverSent('REFUSED_STREAM');
    }
    return { kind: 'ambiguous', reason: this.#endReason ?? otherwise };
  }
}

function neverSent(reason: string): Answer {
  return { kind: 'never_sent', reason };
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function ignore(): void {
  /* nothing to do */
}
