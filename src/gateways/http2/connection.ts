/**
 * One HTTP/2 connection as a client. It says of every request what became of it, which only the one who writes
 * the frames can know for certain. It has no timers: how long to wait for anything is the session's business.
 *
 * What a client of push gateways needs of RFC 9113 and no more: no server push, no priorities, answers of a few
 * kilobytes.
 */
import { type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Answer } from '../answer.ts';
import { AnsweredStream } from './answered-stream.ts';
import type { Gathered } from './frame-writer.ts';
import { Incoming } from './incoming.ts';
import { Outgoing, type Exchange, type OutgoingStream } from './outgoing.ts';
import { errorCode, INT31_MAX, ProtocolError, setting } from './protocol.ts';
import { openSocket } from './socket.ts';
import { StreamTable } from './stream-table.ts';

/** A request on its way. */
export interface Stream<Sent extends Exchange> {
  readonly exchange: Sent;
  /** On the monotonic clock, in milliseconds. */
  readonly sentAt: number;
  readonly outgoing: OutgoingStream;
  status: number;
  /** Flat names and values. */
  fields: readonly string[];
  /** Of the body; undefined where there is none, and with status 200. */
  chunks: Buffer[] | undefined;
  bodyBytes: number;
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
  onClose(reason: string): void;
}

/** Answers of both gateways are well under 4 KiB; a proxy's error page is cut here, far below a stream's window. */
const BODY_BYTES_MAX = 16_384;
/** What the peer may send us on all streams together before we grant more. */
const RECEIVE_WINDOW_BYTES = 1_048_576;
/** Bytes waiting in the socket from which on nothing is added: what is not written can still be sent elsewhere. */
const SOCKET_BYTES_MAX = 1_048_576;
/** By which both gateways say that they took a push: nobody reads the body then. */
const STATUS_OK = 200;
const NO_FIELDS: readonly string[] = [];

export class Http2Connection<Sent extends Exchange> {
  readonly #events: ConnectionEvents<Sent>;
  readonly #socket: Socket;
  readonly #outgoing: Outgoing;
  readonly #incoming: Incoming;
  readonly #streams = new StreamTable<Stream<Sent>>();
  /** Streams above this one have not been given to the socket: whatever happens, they were never sent. */
  #writtenThrough = -1;
  #peerStreamsMax = 0;
  /** Bytes of bodies taken in since we last granted more. */
  #received = 0;
  #hasSettings = false;
  #isSocketFull = false;
  /** `ending`: no more requests; those on their way are waited for. */
  #state: 'going' | 'ending' | 'closed' = 'going';
  #closeReason: string | undefined;

  constructor(origin: string, secureContext: SecureContext | undefined, events: ConnectionEvents<Sent>) {
    this.#events = events;
    const { socket, ready } = openSocket(origin, secureContext, (bytes, end) => this.#onData(bytes, end));
    this.#socket = socket;
    this.#outgoing = new Outgoing((frames, writtenThrough) => this.#write(frames, writtenThrough));
    this.#incoming = new Incoming({
      onHeaders: (streamId, fields, isEnd) => this.#onHeaders(streamId, fields, isEnd),
      onBody: (streamId, body, frameBytes, isEnd) => this.#onBody(streamId, body, frameBytes, isEnd),
      onReset: (streamId, code) => this.#onReset(streamId, code),
      onSettings: (settings) => this.#onSettings(settings),
      onPing: (data) => this.#outgoing.pong(data),
      onPong: () => events.onPong(),
      onGoaway: (lastStreamId, code) => this.#onGoaway(lastStreamId, code),
      onWindowUpdate: (streamId, bytes) => this.#onWindowUpdate(streamId, bytes),
    });
    socket.once(ready, () => this.#greet());
    socket.on('drain', () => {
      this.#isSocketFull = false;
      events.onRoom();
    });
    socket.on('error', (error) => {
      this.#closeReason ??= reasonOf(error);
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
    const outgoing = this.#outgoing.request(exchange);
    if (outgoing === undefined) return false;
    this.#streams.add({
      exchange,
      sentAt: performance.now(),
      outgoing,
      status: 0,
      fields: NO_FIELDS,
      chunks: undefined,
      bodyBytes: 0,
    });
    if (this.#outgoing.isUsedUp) this.#drain();
    return true;
  }

  /** Gives a stream up and tells the peer. Its answer is `ambiguous`, unless its end never left this process. */
  cancel(stream: Stream<Sent>, reason: string): void {
    this.#outgoing.reset(stream.outgoing.id);
    this.#breakOff(stream, reason);
  }

  ping(): void {
    this.#outgoing.ping();
  }

  /** Takes no more requests and ends once those on their way are answered. */
  end(reason: string): void {
    this.#closeReason ??= reason;
    if (this.#hasSettings) this.#drain();
    else this.#socket.destroy();
  }

  /** Ends now. */
  destroy(reason: string): void {
    this.#closeReason ??= reason;
    this.#socket.destroy();
  }

  #greet(): void {
    if (this.#socket instanceof TLSSocket && this.#socket.alpnProtocol !== 'h2') {
      this.destroy('HTTP/2: the peer does not speak it');
    } else {
      this.#outgoing.greet(RECEIVE_WINDOW_BYTES);
    }
  }

  #write(frames: readonly Gathered[], writtenThrough: number): void {
    if (this.#socket.destroyed) return;
    this.#writtenThrough = writtenThrough;
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
      this.destroy(`HTTP/2: ${reasonOf(error)}`);
    }
  }

  #onHeaders(streamId: number, fields: readonly string[], isEnd: boolean): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    const status = fields[0] === ':status' ? Number(fields[1]) : Number.NaN; // first it is (RFC 9113, section 8.3)
    // Else an interim answer (100 to 199), or trailers.
    if (stream.status === 0 && status >= 200) {
      stream.status = status;
      stream.fields = fields;
    }
    if (isEnd) this.#onEndOfAnswer(stream);
  }

  #onBody(streamId: number, body: Buffer, frameBytes: number, isEnd: boolean): void {
    this.#received += frameBytes;
    if (this.#received >= RECEIVE_WINDOW_BYTES / 2) {
      this.#outgoing.grant(this.#received);
      this.#received = 0;
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    if (body.length > 0 && stream.status !== STATUS_OK) (stream.chunks ??= []).push(Buffer.from(body));
    stream.bodyBytes += body.length;
    if (isEnd) {
      this.#onEndOfAnswer(stream);
    } else if (stream.bodyBytes >= BODY_BYTES_MAX) {
      this.#outgoing.reset(streamId); // its status and its first words are enough
      this.#answer(stream);
    }
  }

  #onEndOfAnswer(stream: Stream<Sent>): void {
    // The peer has answered without the rest of the body, and need not be sent it.
    if (stream.outgoing.unsent !== undefined) this.#outgoing.reset(stream.outgoing.id);
    if (stream.status === 0) this.#breakOff(stream, 'the stream ended without an answer');
    else this.#answer(stream);
  }

  #onReset(streamId: number, code: number): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    if (code === errorCode.refusedStream && stream.status === 0) this.#refuse(stream, 'REFUSED_STREAM');
    else this.#breakOff(stream, `RST_STREAM with code ${code}`);
  }

  #onSettings(settings: readonly (readonly [number, number])[]): void {
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

  #onGoaway(lastStreamId: number, code: number): void {
    this.#closeReason ??= `GOAWAY with code ${code}`;
    const isError = code !== errorCode.noError;
    if (isError && this.#state === 'ending') this.#events.onDraining(true);
    this.#drain(isError);
    // Those above were not processed; the others may still be answered, even by a GOAWAY for an error (section 6.8).
    for (const stream of this.#streams.values()) {
      if (stream.outgoing.id <= lastStreamId) continue;
      if (stream.status === 0) this.#refuse(stream, 'refused by GOAWAY');
      else this.#breakOff(stream, 'refused by GOAWAY');
    }
  }

  #onWindowUpdate(streamId: number, bytes: number): void {
    if (streamId === 0) {
      this.#outgoing.widen(undefined, bytes);
    } else {
      const stream = this.#streams.get(streamId);
      if (stream !== undefined) this.#outgoing.widen(stream.outgoing, bytes);
    }
    if (this.isWritable) this.#events.onRoom();
  }

  #answer(stream: Stream<Sent>): void {
    const { status, fields, chunks } = stream;
    this.#leave(stream, new AnsweredStream(status, fields, chunks));
  }

  /** The end of a stream without the end of its answer. The peer may have processed it, unless it cannot have. */
  #breakOff(stream: Stream<Sent>, reason: string): void {
    const { id, unsent } = stream.outgoing;
    // A push that was taken is taken; of any other answer the words that are missing may be those that count.
    if (stream.status === STATUS_OK) this.#answer(stream);
    // Nobody processes a request whose end has not left this process.
    else if (unsent !== undefined || id > this.#writtenThrough) this.#refuse(stream, reason);
    else this.#leave(stream, { kind: 'ambiguous', reason });
  }

  #refuse(stream: Stream<Sent>, reason: string): void {
    this.#leave(stream, { kind: 'never_sent', reason });
  }

  #leave(stream: Stream<Sent>, answer: Answer): void {
    this.#streams.delete(stream.outgoing.id);
    if (stream.outgoing.unsent !== undefined) this.#outgoing.giveUp(stream.outgoing);
    this.#events.onAnswer(stream, answer);
    if (this.#state === 'ending') this.#endIfDone();
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
    const reason = this.#closeReason ?? 'closed by the peer';
    for (const stream of this.#streams.values()) this.#breakOff(stream, reason);
    this.#events.onClose(reason);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
