/**
 * What we say on one connection: requests as frames, within the windows that the peer grants, those of one turn
 * of the event loop in one write.
 */
import { FrameWriter, type Gathered, writeFrameHeader } from './frames/frame-writer.ts';
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

export interface Exchange {
  /** `:path`. It may hold a device token, so no table of the connection ever holds it. */
  readonly path: string;
  /** Flat names and values that many requests share, pseudo-headers first: the same array for the same headers. */
  readonly headers: readonly string[];
  /** Flat names and values of this request alone. */
  readonly ownHeaders: readonly string[];
  readonly body: Buffer | string;
}

/** The sending side of a stream. */
export interface OutgoingStream {
  readonly id: number;
  /** Bytes that the peer still takes on this stream. */
  window: number;
  /** What of the body its windows have not let through. */
  unsent: Buffer | undefined;
}

/** Takes frames to the peer. @param writtenThrough the last stream that is among them */
export type Write = (frames: readonly Gathered[], writtenThrough: number) => void;

/** Runs a task at the end of this turn of the event loop. */
export type Schedule = (task: () => void) => void;

const PREFACE: Gathered = { bytes: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), onWritten: undefined };
const NOTHING = Buffer.alloc(0);
const PATH = ':path';
/** Of one UTF-16 code unit. */
const UTF8_BYTES_MAX = 3;
const NO_PUSH = Buffer.from([0, setting.enablePush, 0, 0, 0, 0]);

export class Outgoing {
  readonly #write: Write;
  readonly #schedule: Schedule;
  readonly #writer = new FrameWriter();
  readonly #encoder = new HpackEncoder();
  /** Streams with an unsent rest. */
  readonly #blocked = new Set<OutgoingStream>();
  #lastId = -1;
  #streamWindow = WINDOW_BYTES;
  #window = WINDOW_BYTES;
  #frameBytesMax = FRAME_BYTES_MAX;
  #isToFlush = false;

  constructor(write: Write, schedule: Schedule) {
    this.#write = write;
    this.#schedule = schedule;
  }

  /** Some body waits for the window of the connection: nothing more can be sent. */
  get isBlocked(): boolean {
    return this.#blocked.size > 0 && this.#window <= 0;
  }

  /** Whether a stream of that number has been opened, by us: the peer may open none. */
  hasOpened(streamId: number): boolean {
    return streamId % 2 === 1 && streamId <= this.#lastId;
  }

  /** No number is left for another stream. */
  get isUsedUp(): boolean {
    return this.#lastId >= INT31_MAX;
  }

  /** @param receiveWindow bytes of bodies that the peer may send us before we grant more */
  greet(receiveWindow: number): void {
    this.#write([PREFACE], this.#lastId);
    this.#writer.frame(frameType.settings, 0, 0, NO_PUSH);
    this.grant(receiveWindow - WINDOW_BYTES);
    this.flush();
  }

  /** @returns undefined where the headers are too large for any connection */
  request({ path, headers, ownHeaders, body }: Exchange): OutgoingStream | undefined {
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

  /** Forgets what a stream still had to send. */
  giveUp(stream: OutgoingStream): void {
    stream.unsent = undefined;
    this.#blocked.delete(stream);
  }

  reset(streamId: number, code: number): void {
    this.#frame(frameType.rstStream, 0, streamId, uint32(code));
  }

  /** @param data eight bytes, which come back with the answer */
  ping(data: Buffer): void {
    this.#frame(frameType.ping, 0, 0, data);
  }

  pong(data: Buffer): void {
    this.#frame(frameType.ping, flag.ack, 0, data);
  }

  /** Lets the peer send more. */
  grant(bytes: number): void {
    this.#frame(frameType.windowUpdate, 0, 0, uint32(bytes));
  }

  goaway(code: number): void {
    this.#frame(frameType.goaway, 0, 0, Buffer.concat([uint32(0), uint32(code)]));
  }

  /**
   * @param settings of allowed values
   * @param streams those that are open: their windows change too (RFC 9113, section 6.9.2)
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

  /** @returns whether it has let anything through */
  widen(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > INT31_MAX) throw tooLarge();
    const { size } = this.#blocked;
    const window = this.#window;
    this.#sendUnsent();
    return this.#window < window || this.#blocked.size < size;
  }

  /** @returns whether it has let anything through */
  widenStream(stream: OutgoingStream, bytes: number): boolean {
    stream.window += bytes;
    if (stream.window > INT31_MAX) throw tooLarge();
    if (stream.unsent === undefined) return false;
    const window = this.#window;
    this.#sendRest(stream, stream.unsent);
    return this.#window < window;
  }

  /** Hands over now what is gathered. */
  flush(): void {
    this.stop();
    if (!this.#writer.isEmpty) this.#write(this.#writer.take(), this.#lastId);
  }

  /** Nothing more is handed over by itself. */
  stop(): void {
    this.#isToFlush = false;
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

  /** A body as text, written where it leaves from: only one that the windows hold up is copied. */
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

  /** Sends as much of a body as the windows let through; the rest waits for them. */
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
        this.giveUp(stream);
        return;
      }
    }
  }

  #frame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    this.#writer.frame(type, flags, streamId, payload);
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#isToFlush) return;
    this.#isToFlush = true;
    this.#schedule(() => {
      if (this.#isToFlush) this.flush();
    });
  }
}

function tooLarge(): ProtocolError {
  return new ProtocolError(errorCode.flowControlError, 'a window larger than allowed');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
