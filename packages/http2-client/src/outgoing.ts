/**
 * Writes the frames of one connection. Bodies stay within the windows that the peer grants. All requests of one turn of
 * the event loop leave in one write.
 */
import { FrameWriter, type Chunk, writeFrameHeader } from './frames/frame-writer.ts';
import { blockBytesMax, HpackEncoder } from './hpack/hpack-encoder.ts';
import {
  errorCode,
  flag,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  frameType,
  INT31_MAX,
  ProtocolError,
  setting,
  WINDOW_BYTES,
} from './frames/protocol.ts';

export interface Http2Request {
  /** The `:path`. It may be secret, so it is never put into a compression table. */
  readonly path: string;
  /**
   * Alternating names and values that many requests share, pseudo-headers first. Pass the same array for the same
   * headers: it is compressed once per connection, and the result is copied from then on.
   */
  readonly headers: readonly string[];
  /** Alternating names and values of this request alone; never put into a compression table. */
  readonly ownHeaders: readonly string[];
  readonly body: Buffer | string;
}

/** The sending side of a stream. */
export interface OutgoingStream {
  readonly id: number;
  /** Bytes that the peer still allows on this stream. */
  window: number;
  /** The rest of the body that the windows hold back. */
  unsent: Buffer | undefined;
}

/** Writes to the socket. @param lastStreamId the newest stream that has frames in this or an earlier write */
type Write = (chunks: readonly Chunk[], lastStreamId: number) => void;

/** Runs a task at the end of this turn of the event loop. */
export type Schedule = (task: () => void) => void;

const PREFACE: Chunk = { bytes: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), onWritten: undefined };
const NOTHING = Buffer.alloc(0);
const PATH = ':path';
/** The most bytes that one UTF-16 code unit takes. */
const UTF8_BYTES_MAX = 3;
const NO_PUSH = Buffer.from([0, setting.enablePush, 0, 0, 0, 0]);

export class Outgoing {
  readonly #write: Write;
  readonly #schedule: Schedule;
  readonly #writer = new FrameWriter();
  readonly #encoder = new HpackEncoder();
  /** Streams whose body has not been sent completely. */
  readonly #blocked = new Set<OutgoingStream>();
  #lastId = -1;
  #streamWindow = WINDOW_BYTES;
  #window = WINDOW_BYTES;
  #frameBytesMax = FRAME_BYTES_MAX;
  #isFlushScheduled = false;

  constructor(write: Write, schedule: Schedule) {
    this.#write = write;
    this.#schedule = schedule;
  }

  /** Whether a body waits because the connection's window is used up, so that no other body can be sent either. */
  get isBlocked(): boolean {
    return this.#blocked.size > 0 && this.#window <= 0;
  }

  /** Whether we have opened a stream with this id; the peer may not open any. */
  hasOpened(streamId: number): boolean {
    return streamId % 2 === 1 && streamId <= this.#lastId;
  }

  get isOutOfStreamIds(): boolean {
    return this.#lastId >= INT31_MAX;
  }

  /**
   * Starts the connection.
   * @param receiveWindow bytes of bodies that the peer may send before we grant more
   * @param streamWindow the most of these bytes on one stream, which never gets more; undefined: the RFC's default
   */
  preface(receiveWindow: number, streamWindow?: number): void {
    this.#write([PREFACE], this.#lastId);
    const settings =
      streamWindow === undefined ? NO_PUSH : Buffer.concat([NO_PUSH, initialWindow(streamWindow)]);
    this.#writer.frame(frameType.settings, 0, 0, settings);
    this.grant(receiveWindow - WINDOW_BYTES);
    this.flush();
  }

  /** Opens a stream with a request. @returns undefined if its headers are larger than a frame */
  open({ path, headers, ownHeaders, body }: Http2Request): OutgoingStream | undefined {
    const own = [PATH, path] as const;
    const headerBytes = blockBytesMax(own, headers, ownHeaders);
    if (headerBytes > FRAME_BYTES_MAX) return undefined;
    this.#lastId += 2;

    const writer = this.#writer;
    writer.reserve(FRAME_HEADER_BYTES + headerBytes);
    const start = writer.at + FRAME_HEADER_BYTES;
    let end = this.#encoder.begin(writer.bytes, start);
    end = this.#encoder.own(writer.bytes, end, own); // first, as it is a pseudo-header
    end = this.#encoder.shared(writer.bytes, end, headers);
    end = this.#encoder.own(writer.bytes, end, ownHeaders);
    writeFrameHeader(writer.bytes, writer.at, end - start, frameType.headers, flag.endHeaders, this.#lastId);
    writer.advanceTo(end);

    const stream: OutgoingStream = { id: this.#lastId, window: this.#streamWindow, unsent: undefined };
    if (typeof body === 'string') this.#text(stream, body);
    else this.#body(stream, body);
    this.#scheduleFlush();
    return stream;
  }

  /** Drops the rest of a stream's body. */
  dropUnsent(stream: OutgoingStream): void {
    stream.unsent = undefined;
    this.#blocked.delete(stream);
  }

  reset(streamId: number, code: number): void {
    this.#frame(frameType.rstStream, 0, streamId, uint32(code));
  }

  /** @param data eight bytes, which the answer repeats */
  ping(data: Buffer): void {
    this.#frame(frameType.ping, 0, 0, data);
  }

  pong(data: Buffer): void {
    this.#frame(frameType.ping, flag.ack, 0, data);
  }

  /** Lets the peer send this many more bytes of bodies. */
  grant(bytes: number): void {
    this.#frame(frameType.windowUpdate, 0, 0, uint32(bytes));
  }

  goaway(code: number): void {
    this.#frame(frameType.goaway, 0, 0, Buffer.concat([uint32(0), uint32(code)]));
  }

  /**
   * @param settings ids and values, already checked
   * @param streams all open streams, because their windows change too (RFC 9113, section 6.9.2)
   */
  applySettings(settings: readonly (readonly [number, number])[], streams: Iterable<OutgoingStream>): void {
    for (const [name, value] of settings) {
      if (name === setting.headerTableSize) this.#encoder.setTableBytes(value);
      if (name === setting.maxFrameSize) this.#frameBytesMax = value;
      if (name === setting.initialWindowSize) {
        for (const stream of streams) {
          stream.window += value - this.#streamWindow;
          if (stream.window > INT31_MAX) throw tooLarge();
        }
        this.#streamWindow = value;
      }
    }
    this.#frame(frameType.settings, flag.ack, 0, NOTHING);
    this.#sendUnsent();
  }

  /** @returns whether anything was sent */
  widenWindow(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > INT31_MAX) throw tooLarge();
    const { size } = this.#blocked;
    const window = this.#window;
    this.#sendUnsent();
    return this.#window < window || this.#blocked.size < size;
  }

  /** @returns whether anything was sent */
  widenStream(stream: OutgoingStream, bytes: number): boolean {
    stream.window += bytes;
    if (stream.window > INT31_MAX) throw tooLarge();
    if (stream.unsent === undefined) return false;
    const window = this.#window;
    this.#sendRest(stream, stream.unsent);
    return this.#window < window;
  }

  /** Writes all frames now. */
  flush(): void {
    this.cancelFlush();
    if (!this.#writer.isEmpty) this.#write(this.#writer.take(), this.#lastId);
  }

  cancelFlush(): void {
    this.#isFlushScheduled = false;
  }

  #sendUnsent(): void {
    for (const stream of this.#blocked) {
      if (this.#window <= 0) return;
      this.#sendRest(stream, stream.unsent ?? NOTHING);
    }
  }

  #sendRest(stream: OutgoingStream, rest: Buffer): void {
    this.#body(stream, rest);
    this.#scheduleFlush();
  }

  /** Encodes a body directly into the write buffer, and copies it only if the windows hold it back. */
  #text(stream: OutgoingStream, text: string): void {
    const writer = this.#writer;
    writer.reserve(FRAME_HEADER_BYTES + text.length * UTF8_BYTES_MAX);
    const { bytes, at } = writer;
    const start = at + FRAME_HEADER_BYTES;
    const length = bytes.write(text, start);
    if (length > Math.min(this.#window, stream.window, this.#frameBytesMax)) {
      this.#body(stream, Buffer.from(bytes.subarray(start, start + length)));
      return;
    }
    writeFrameHeader(bytes, at, length, frameType.data, flag.endStream, stream.id);
    writer.advanceTo(start + length);
    this.#window -= length;
    stream.window -= length;
  }

  /** Sends as much of a body as the windows allow, and keeps the rest. */
  #body(stream: OutgoingStream, body: Buffer): void {
    for (let at = 0; ;) {
      const left = body.length - at;
      const length = Math.min(left, this.#window, stream.window, this.#frameBytesMax);
      const isLast = length === left;
      if (!isLast && length <= 0) {
        stream.unsent = body.subarray(at);
        this.#blocked.add(stream);
        return;
      }
      const part = at === 0 && isLast ? body : body.subarray(at, at + length);
      this.#writer.frame(frameType.data, isLast ? flag.endStream : 0, stream.id, part);
      this.#window -= length;
      stream.window -= length;
      at += length;
      if (isLast) {
        this.dropUnsent(stream);
        return;
      }
    }
  }

  #frame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    this.#writer.frame(type, flags, streamId, payload);
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    this.#schedule(() => {
      if (this.#isFlushScheduled) this.flush();
    });
  }
}

function tooLarge(): ProtocolError {
  return new ProtocolError(errorCode.flowControlError, 'a window larger than 2^31 - 1');
}

function initialWindow(bytes: number): Buffer {
  return Buffer.concat([Buffer.from([0, setting.initialWindowSize]), uint32(bytes)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
