/**
 * One HTTP/2 connection as a client. For each request it reports whether the peer can have processed it; only the code
 * that writes the frames knows that for certain. It has no timers: the session decides how long to wait.
 *
 * A connection is in one of three states:
 *
 * - **active**, from the start: requests are accepted once the peer's first SETTINGS have arrived, as long as windows
 *   and the socket's buffer have room (`isWritable`).
 * - **ending**, after a GOAWAY, when stream ids have run out, or on `end`: no more requests are accepted. When the last
 *   open stream has ended, a GOAWAY is written and the socket is closed.
 * - **closed**, from either state, when the socket is closed: all open streams fail, then `onClose` is called.
 *
 * It implements what RFC 9113 requires of a client, except server push, priorities and request trailers.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Answer } from './answer.ts';
import { FrameBudget } from './frames/frame-budget.ts';
import type { Chunk } from './frames/frame-writer.ts';
import { errorCode, errorName, INT31_MAX, NotHttp2Error, ProtocolError, setting } from './frames/protocol.ts';
import { Incoming } from './incoming.ts';
import { OpenStreams, type Stream } from './open-streams.ts';
import { type Http2Request, Outgoing, type Schedule } from './outgoing.ts';
import { openSocket, type OpeningSocket, type SocketOptions } from './socket.ts';
import type { TransportFailure } from './transport-reason.ts';

export interface ConnectionOptions extends SocketOptions {
  /** Bodies of answers are read up to this size; undefined: only the bodies of failures. */
  bodyBytesMax?: number | undefined;
  schedule: Schedule;
}

export interface ConnectionEvents<Request extends Http2Request> {
  /** The peer has sent SETTINGS, the first or later ones. */
  onSettings(): void;
  /** Called once for every stream, after it has closed; never while `send` runs. */
  onAnswer(stream: Stream<Request>, answer: Answer): void;
  /**
   * The connection takes no more requests.
   * @param isError whether the peer has sent GOAWAY with an error code; a call with true may follow a call with false
   */
  onDraining(isError: boolean): void;
  onPong(): void;
  /** A window or the socket's buffer may have room again. */
  onWritable(): void;
  /** The last event. */
  onClose(failure: TransportFailure): void;
}

/** Bytes that the peer may send on all streams together before we grant more. */
const RECEIVE_WINDOW_BYTES = 1_048_576;
/** Requests are held back while the socket's buffer has more bytes: until written, they can go to another session. */
const SOCKET_BYTES_MAX = 1_048_576;
/** The debug data of a GOAWAY is cut to this many bytes for logs. */
const DEBUG_BYTES_MAX = 200;

export class Http2Connection<Request extends Http2Request> {
  readonly #events: ConnectionEvents<Request>;
  readonly #opening: OpeningSocket;
  /** Undefined until it can be written to. */
  #socket: Socket | undefined;
  /** The proxy that the connection leads through; undefined if it is direct. */
  readonly #through: string | undefined;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  readonly #streams: OpenStreams<Request>;
  readonly #budget = new FrameBudget();
  readonly #streamWindow: number | undefined;
  /** The payload of the unanswered PING. */
  #pingData: Buffer | undefined;
  #peerStreamsMax = 0;
  /** Bytes of bodies received since we last granted more. */
  #received = 0;
  #hasSettings = false;
  #isSocketFull = false;
  #state: 'active' | 'ending' | 'closed' = 'active';
  /** The first reason to end. */
  #failure: TransportFailure | undefined;

  constructor(options: ConnectionOptions, events: ConnectionEvents<Request>) {
    const { bodyBytesMax, schedule, tunnel } = options;
    this.#events = events;
    this.#through = tunnel?.name;
    this.#outgoing = new Outgoing((chunks, lastStreamId) => this.#write(chunks, lastStreamId), schedule);
    this.#streamWindow = bodyBytesMax;
    const onEnd = (stream: Stream<Request>, answer: Answer): void => {
      events.onAnswer(stream, answer);
      if (this.#state === 'ending') this.#closeIfDone();
    };
    const streams = new OpenStreams<Request>(this.#outgoing, this.#budget, onEnd, bodyBytesMax);
    this.#streams = streams;
    this.#incoming = new Incoming({
      onHeaders: (streamId, block, isEnd, cost) => streams.onHeaders(streamId, block, isEnd, cost),
      onBody: (streamId, body, frameBytes, isEnd) => this.#onBody(streamId, body, frameBytes, isEnd),
      onReset: (streamId, code) => streams.onReset(streamId, code),
      onSettings: (settings) => this.#onSettings(settings),
      onPing: (data) => {
        this.#budget.spend();
        this.#outgoing.pong(data);
      },
      onPong: (data) => this.#onPong(data),
      onGoaway: (lastStreamId, code, debugData) => this.#onGoaway(lastStreamId, code, debugData),
      onWindowUpdate: (streamId, bytes) => this.#onWindowUpdate(streamId, bytes),
      onIgnored: () => this.#budget.spend(),
    });
    this.#opening = openSocket(options, {
      onReady: (socket) => {
        this.#socket = socket;
        this.#sendPreface(socket);
      },
      onData: (bytes, end) => this.#onData(bytes, end),
      onDrain: () => {
        this.#isSocketFull = false;
        events.onWritable();
      },
      onError: (error) => {
        this.#failure ??= { reason: 'connection_failed', detail: codeOf(error) };
      },
      onClose: () => this.#onClose(),
    });
  }

  /** Streams that the peer allows at once; 0 before its SETTINGS. */
  get peerStreamsMax(): number {
    return this.#peerStreamsMax;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** The open streams in the order of sending. */
  get streams(): Iterable<Stream<Request>> {
    return this.#streams.values();
  }

  /** Whether windows and buffers allow another stream. */
  get isWritable(): boolean {
    return this.#hasSettings && this.#state === 'active' && !this.#isSocketFull && !this.#outgoing.isBlocked;
  }

  /**
   * Sends a request at the end of this turn of the event loop. To be called only while `isWritable`.
   * @returns false if its headers are larger than a frame, so that no connection can send it
   */
  send(request: Request): boolean {
    if (!this.#streams.open(request)) return false;
    if (this.#outgoing.isOutOfStreamIds) this.#drain();
    return true;
  }

  /** Resets a stream. Its answer is `ambiguous`, or `never_sent` if its end has not left this process. */
  cancel(stream: Stream<Request>, failure: TransportFailure): void {
    this.#streams.cancel(stream, failure);
  }

  ping(): void {
    this.#pingData = randomBytes(8); // random, so that only a peer that has read it can answer
    this.#outgoing.ping(this.#pingData);
  }

  /** Accepts no more requests, and closes when those in flight are answered. */
  end(failure: TransportFailure): void {
    this.#failure ??= failure;
    if (this.#hasSettings) this.#drain();
    else this.#opening.destroy();
  }

  /** Closes now. */
  destroy(failure: TransportFailure): void {
    const isOpening = this.#socket === undefined && this.#through !== undefined;
    this.#failure ??= isOpening ? { detail: `through ${this.#through}`, ...failure } : failure;
    this.#opening.destroy();
  }

  #sendPreface(socket: Socket): void {
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
      this.destroy({ reason: 'not_http2' });
    } else {
      this.#outgoing.preface(RECEIVE_WINDOW_BYTES, this.#streamWindow);
    }
  }

  #write(chunks: readonly Chunk[], lastStreamId: number): void {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    this.#streams.lastWrittenId = lastStreamId;
    for (const { bytes, onWritten } of chunks) socket.write(bytes, onWritten);
    this.#isSocketFull = socket.writableNeedDrain && socket.writableLength > SOCKET_BYTES_MAX;
  }

  #onData(bytes: Buffer, end: number): void {
    if (this.#socket?.destroyed === true) return;
    try {
      this.#incoming.read(bytes, end);
    } catch (error) {
      this.#outgoing.goaway(error instanceof ProtocolError ? error.code : errorCode.protocolError);
      this.#outgoing.flush();
      if (error instanceof NotHttp2Error) this.destroy({ reason: 'not_http2' });
      else this.destroy({ reason: 'protocol_error', detail: codeOf(error) });
    }
  }

  #onBody(streamId: number, body: Buffer, frameBytes: number, isEnd: boolean): void {
    this.#received += frameBytes;
    if (this.#received >= RECEIVE_WINDOW_BYTES / 2) {
      this.#outgoing.grant(this.#received);
      this.#received = 0;
    }
    this.#streams.onBody(streamId, body, isEnd);
  }

  #onSettings(settings: readonly (readonly [number, number])[]): void {
    this.#budget.spend(1 + settings.length);
    if (!this.#hasSettings) this.#peerStreamsMax = INT31_MAX; // the RFC's default: no limit
    this.#hasSettings = true;
    for (const [name, value] of settings) {
      if (name === setting.maxConcurrentStreams) this.#peerStreamsMax = value;
    }
    this.#outgoing.applySettings(
      settings,
      [...this.#streams.values()].map(({ outgoing }) => outgoing),
    );
    this.#events.onSettings();
  }

  #onPong(data: Buffer): void {
    if (this.#pingData?.equals(data) !== true) return this.#budget.spend();
    this.#pingData = undefined;
    return this.#events.onPong();
  }

  #onGoaway(lastStreamId: number, code: number, debugData: Buffer): void {
    this.#budget.spend();
    this.#failure ??= { reason: 'goaway', detail: goawayDetail(code, debugData) };
    const isError = code !== errorCode.noError;
    if (isError && this.#state === 'ending') this.#events.onDraining(true);
    this.#drain(isError);
    this.#streams.onGoaway(lastStreamId);
  }

  #onWindowUpdate(streamId: number, bytes: number): void {
    if (streamId !== 0) this.#streams.onWindowUpdate(streamId, bytes);
    else if (!this.#outgoing.widenWindow(bytes)) this.#budget.spend();
    if (this.isWritable) this.#events.onWritable();
  }

  #drain(isError = false): void {
    if (this.#state !== 'active') return;
    this.#state = 'ending';
    this.#events.onDraining(isError);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#streams.size > 0) return;
    this.#outgoing.goaway(errorCode.noError);
    this.#outgoing.flush();
    this.#socket?.destroySoon(); // `end` would wait for the peer, and a silent one never closes
  }

  #onClose(): void {
    this.#state = 'closed';
    this.#outgoing.cancelFlush();
    const failure = this.#failure ?? { reason: 'closed_by_peer' };
    this.#streams.failAll(failure);
    this.#events.onClose(failure);
  }
}

/** Node's and OpenSSL's errors have a code, such as ECONNRESET; ours have a message. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The name of the code, followed by the debug data if it is printable. */
function goawayDetail(code: number, debugData: Buffer): string {
  const words = debugData.toString('latin1', 0, DEBUG_BYTES_MAX);
  return /^[\x20-\x7e]+$/.test(words) ? `${errorName(code)}, ${words}` : errorName(code);
}
