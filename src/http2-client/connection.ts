/**
 * One HTTP/2 connection as a client. It says of every request what became of it, which only the one who writes
 * the frames can know for certain. It has no timers: how long to wait for anything is the session's business.
 *
 * What a client of push gateways needs of RFC 9113 and no more: no server push, no priorities, answers of a few
 * kilobytes.
 */
import { randomBytes } from 'node:crypto';
import { type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Answer } from './answer.ts';
import { FrameBudget } from './frames/frame-budget.ts';
import type { Gathered } from './frames/frame-writer.ts';
import { Incoming } from './incoming.ts';
import { OpenStreams, type Stream } from './open-streams.ts';
import { type Exchange, Outgoing, type Schedule } from './outgoing.ts';
import { errorCode, errorName, INT31_MAX, NotHttp2Error, ProtocolError, setting } from './frames/protocol.ts';
import { openSocket } from './socket.ts';
import type { TransportFailure } from './transport-reason.ts';

export interface ConnectionOptions {
  origin: string;
  /** Whom to trust, where not Node's own certificate authorities alone. */
  secureContext: SecureContext | undefined;
  schedule: Schedule;
}

export interface ConnectionEvents<Sent extends Exchange> {
  /** The peer's SETTINGS have come, for the first time or anew. */
  onSettings(): void;
  /** Once for every stream, when it is no longer open; never while `send` runs. */
  onAnswer(stream: Stream<Sent>, answer: Answer): void;
  /**
   * No more requests are taken: the peer has said GOAWAY, stream numbers have run out, or we end.
   * @param isError the peer will not go on for long; this may be told after a first time without it
   */
  onDraining(isError: boolean): void;
  onPong(): void;
  /** What was full may have room again: windows, the socket's buffer. */
  onRoom(): void;
  /** The last event. */
  onClose(failure: TransportFailure): void;
}

/** What the peer may send us on all streams together before we grant more. */
const RECEIVE_WINDOW_BYTES = 1_048_576;
/** Bytes waiting in the socket from which on nothing is added: what is not written can still be sent elsewhere. */
const SOCKET_BYTES_MAX = 1_048_576;
/** Of a GOAWAY's debug data, for logs. */
const DEBUG_BYTES_MAX = 200;

export class Http2Connection<Sent extends Exchange> {
  readonly #events: ConnectionEvents<Sent>;
  readonly #socket: Socket;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  readonly #streams: OpenStreams<Sent>;
  readonly #budget = new FrameBudget();
  /** What the PING that is not answered yet carries. */
  #pingData: Buffer | undefined;
  #peerStreamsMax = 0;
  /** Bytes of bodies taken in since we last granted more. */
  #received = 0;
  #hasSettings = false;
  #isSocketFull = false;
  /** `ending`: no more requests; those on their way are waited for. */
  #state: 'going' | 'ending' | 'closed' = 'going';
  #failure: TransportFailure | undefined;

  constructor(options: ConnectionOptions, events: ConnectionEvents<Sent>) {
    const { origin, secureContext, schedule } = options;
    this.#events = events;
    const { socket, ready } = openSocket(origin, secureContext, (bytes, end) => this.#onData(bytes, end));
    this.#socket = socket;
    this.#outgoing = new Outgoing((frames, writtenThrough) => this.#write(frames, writtenThrough), schedule);
    const streams = new OpenStreams<Sent>(this.#outgoing, this.#budget, (stream, answer) => {
      events.onAnswer(stream, answer);
      if (this.#state === 'ending') this.#endIfDone();
    });
    this.#streams = streams;
    this.#incoming = new Incoming({
      onHeaders: (streamId, block, isEnd, frames) => streams.onHeaders(streamId, block, isEnd, frames),
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
      onNothing: () => this.#budget.spend(),
    });
    socket.once(ready, () => this.#greet());
    socket.on('drain', () => {
      this.#isSocketFull = false;
      events.onRoom();
    });
    socket.on('error', (error) => {
      this.#failure ??= { reason: 'connection_failed', detail: codeOf(error) };
    });
    socket.on('close', () => this.#onClose());
  }

  /** The most streams the peer allows at once; 0 until it has said so. */
  get peerStreamsMax(): number {
    return this.#peerStreamsMax;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** The open streams in the order of sending. */
  get streams(): Iterable<Stream<Sent>> {
    return this.#streams.values();
  }

  /** Whether a stream may be opened as far as windows and buffers go. */
  get isWritable(): boolean {
    return this.#hasSettings && this.#state === 'going' && !this.#isSocketFull && !this.#outgoing.isBlocked;
  }

  /**
   * Sends a request; only while `isWritable`. It leaves with the end of this turn of the event loop.
   * @returns false where no connection can send it, because its headers are larger than a frame
   */
  send(exchange: Sent): boolean {
    if (!this.#streams.open(exchange)) return false;
    if (this.#outgoing.isUsedUp) this.#drain();
    return true;
  }

  /** Gives a stream up and tells the peer. Its answer is `ambiguous`, unless its end never left this process. */
  cancel(stream: Stream<Sent>, failure: TransportFailure): void {
    this.#streams.cancel(stream, failure);
  }

  ping(): void {
    this.#pingData = randomBytes(8); // one that nobody can answer who has not read it
    this.#outgoing.ping(this.#pingData);
  }

  /** Takes no more requests and ends once those on their way are answered. */
  end(failure: TransportFailure): void {
    this.#failure ??= failure;
    if (this.#hasSettings) this.#drain();
    else this.#socket.destroy();
  }

  /** Ends now. */
  destroy(failure: TransportFailure): void {
    this.#failure ??= failure;
    this.#socket.destroy();
  }

  #greet(): void {
    if (this.#socket instanceof TLSSocket && this.#socket.alpnProtocol !== 'h2') {
      this.destroy({ reason: 'not_http2' });
    } else {
      this.#outgoing.greet(RECEIVE_WINDOW_BYTES);
    }
  }

  #write(frames: readonly Gathered[], writtenThrough: number): void {
    if (this.#socket.destroyed) return;
    this.#streams.writtenThrough = writtenThrough;
    for (const { bytes, onWritten } of frames) this.#socket.write(bytes, onWritten);
    this.#isSocketFull = this.#socket.writableNeedDrain && this.#socket.writableLength > SOCKET_BYTES_MAX;
  }

  #onData(bytes: Buffer, end: number): void {
    if (this.#socket.destroyed) return;
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
    if (!this.#hasSettings) this.#peerStreamsMax = INT31_MAX; // unless it says otherwise
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
    else if (!this.#outgoing.widen(bytes)) this.#budget.spend();
    if (this.isWritable) this.#events.onRoom();
  }

  #drain(isError = false): void {
    if (this.#state !== 'going') return;
    this.#state = 'ending';
    this.#events.onDraining(isError);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#streams.size > 0) return;
    this.#outgoing.goaway(errorCode.noError);
    this.#outgoing.flush();
    this.#socket.destroySoon(); // not `end`: a silent peer would never hang up
  }

  #onClose(): void {
    this.#state = 'closed';
    this.#outgoing.stop();
    const failure = this.#failure ?? { reason: 'closed_by_peer' };
    this.#streams.breakOffAll(failure);
    this.#events.onClose(failure);
  }
}

/** Node's and OpenSSL's errors have a code, such as ECONNRESET; ours have a message. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** The name of the code, and the peer's own words where they can be printed. */
function goawayDetail(code: number, debugData: Buffer): string {
  const words = debugData.toString('latin1', 0, DEBUG_BYTES_MAX);
  return /^[\x20-\x7e]+$/.test(words) ? `${errorName(code)}, ${words}` : errorName(code);
}
