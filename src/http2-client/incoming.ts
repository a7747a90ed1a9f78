/**
 * What the peer says on one connection: cuts the bytes into frames, checks that each is one (its length, its stream,
 * its values), undoes padding, continuation and header compression, and passes on what is left, in order. It knows no
 * streams: whether there is one of that number is for whoever is told.
 */
import { FrameReader } from './frames/frame-reader.ts';
import { type HeaderBlock, HpackDecoder } from './hpack/hpack-decoder.ts';
import {
  errorCode,
  flag,
  FRAME_BYTES_LIMIT,
  FRAME_BYTES_MAX,
  frameType,
  INT31_MAX,
  ProtocolError,
  setting,
} from './frames/protocol.ts';

export interface IncomingEvents {
  /** @param frames what the block has cost to read, in frames of nothing */
  onHeaders(streamId: number, block: HeaderBlock, isEnd: boolean, frames: number): void;
  /** @param frameBytes what the frame takes of the windows: its body and its padding */
  onBody(streamId: number, body: Buffer, frameBytes: number, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  /** @param settings numbers and values; a number that is not known is to be passed over */
  onSettings(settings: readonly (readonly [number, number])[]): void;
  onPing(data: Buffer): void;
  onPong(data: Buffer): void;
  /** @param debugData the peer's own words */
  onGoaway(lastStreamId: number, code: number, debugData: Buffer): void;
  /** @param streamId 0 for the connection @param bytes not 0 for the connection */
  onWindowUpdate(streamId: number, bytes: number): void;
  /** A frame that means nothing to us: PRIORITY, types that are not known, acknowledged SETTINGS. */
  onNothing(): void;
}

/** Header blocks of answers beyond this are an attack. */
const HEADER_BYTES_MAX = 65_536;
/**
 * What a CONTINUATION counts for beside its bytes: without it a block of empty ones has no end. So a block may come in
 * some 2,000 of them; nghttp2 allows 8.
 */
const CONTINUATION_BYTES = 32;
/** Reading so many bytes of a header block costs as much as a frame of nothing. */
const FRAME_COST_BYTES = 256;
/** Of one SETTINGS frame, as nghttp2 has it: each value of a window goes through all streams. */
const SETTINGS_MAX = 32;
const SETTING_BYTES = 6;
const PRIORITY_BYTES = 5;
const GOAWAY_BYTES_MIN = 8;

export class Incoming {
  readonly #events: IncomingEvents;
  readonly #decoder = new HpackDecoder();
  readonly #frames = new FrameReader((type, flags, streamId, bytes, start, end) =>
    this.#onFrame(type, flags, streamId, bytes, start, end),
  );
  /** A header block that goes on in CONTINUATION frames. */
  #begun: { streamId: number; isEnd: boolean; fragments: Buffer[]; bytes: number } | undefined;

  constructor(events: IncomingEvents) {
    this.#events = events;
  }

  /**
   * @param chunk what has come, from 0 up to `end`; what events are told of it is good until they return
   * @throws {ProtocolError} where the peer breaks the protocol
   */
  read(chunk: Buffer, end: number): void {
    this.#frames.read(chunk, end);
  }

  #onFrame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (this.#begun !== undefined && type !== frameType.continuation) {
      throw protocolError('a header block was interrupted');
    }
    const events = this.#events;
    const length = end - start;
    switch (type) {
      case frameType.headers:
        return this.#onHeaders(flags, streamId, bytes, start, end);
      case frameType.data:
        return this.#onBody(flags, streamId, bytes, start, end);
      case frameType.continuation:
        return this.#onContinuation(flags, streamId, bytes.subarray(start, end));
      case frameType.rstStream:
        expect(length === 4);
        return events.onReset(streamId, bytes.readUInt32BE(start));
      case frameType.windowUpdate:
        expect(length === 4);
        return this.#onWindowUpdate(streamId, bytes.readUInt32BE(start) & INT31_MAX);
      case frameType.settings:
        expectConnection(streamId);
        return this.#onSettings(flags, bytes, start, end);
      case frameType.ping:
        expectConnection(streamId);
        expect(length === 8);
        if ((flags & flag.ack) !== 0) return events.onPong(bytes.subarray(start, end));
        return events.onPing(bytes.subarray(start, end));
      case frameType.goaway:
        expectConnection(streamId);
        expect(length >= GOAWAY_BYTES_MIN);
        return events.onGoaway(
          bytes.readUInt32BE(start) & INT31_MAX,
          bytes.readUInt32BE(start + 4),
          bytes.subarray(start + GOAWAY_BYTES_MIN, end),
        );
      case frameType.priority:
        if (streamId === 0) throw protocolError('a priority of the connection');
        expect(length === PRIORITY_BYTES);
        return events.onNothing();
      case frameType.pushPromise:
        throw protocolError('a push that was forbidden');
      default: // to be ignored (RFC 9113, section 4.1)
        return events.onNothing();
    }
  }

  #onHeaders(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [unpadded, to] = withoutPadding(flags, bytes, start, end);
    const from = (flags & flag.priority) === 0 ? unpadded : unpadded + PRIORITY_BYTES;
    expect(from <= to);
    const isEnd = (flags & flag.endStream) !== 0;
    if ((flags & flag.endHeaders) !== 0) {
      this.#onBlock(streamId, bytes, from, to, isEnd, 1);
    } else {
      this.#begun = { streamId, isEnd, fragments: [Buffer.from(bytes.subarray(from, to))], bytes: to - from };
    }
  }

  #onContinuation(flags: number, streamId: number, fragment: Buffer): void {
    const begun = this.#begun;
    if (begun === undefined || begun.streamId !== streamId) throw protocolError('a continuation of nothing');
    begun.fragments.push(Buffer.from(fragment));
    begun.bytes += fragment.length + CONTINUATION_BYTES;
    if (begun.bytes > HEADER_BYTES_MAX) {
      throw new ProtocolError(errorCode.enhanceYourCalm, 'a header block larger than allowed');
    }
    if ((flags & flag.endHeaders) === 0) return;
    this.#begun = undefined;
    const block = Buffer.concat(begun.fragments);
    this.#onBlock(streamId, block, 0, block.length, begun.isEnd, begun.fragments.length);
  }

  /** Decoded whether or not anybody waits for this stream: the table of the connection depends on it. */
  #onBlock(streamId: number, bytes: Buffer, from: number, to: number, isEnd: boolean, frames: number): void {
    const cost = frames + Math.floor((to - from) / FRAME_COST_BYTES);
    this.#events.onHeaders(streamId, this.#decoder.decode(bytes, from, to), isEnd, cost);
  }

  #onBody(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = withoutPadding(flags, bytes, start, end);
    this.#events.onBody(streamId, bytes.subarray(from, to), end - start, (flags & flag.endStream) !== 0);
  }

  #onWindowUpdate(streamId: number, bytes: number): void {
    if (streamId === 0 && bytes === 0) throw protocolError('a window that is widened by nothing');
    this.#events.onWindowUpdate(streamId, bytes);
  }

  #onSettings(flags: number, bytes: Buffer, start: number, end: number): void {
    const isAck = (flags & flag.ack) !== 0;
    expect(isAck ? start === end : (end - start) % SETTING_BYTES === 0);
    if (isAck) return this.#events.onNothing();
    if (end - start > SETTINGS_MAX * SETTING_BYTES) {
      throw new ProtocolError(errorCode.enhanceYourCalm, 'more settings than allowed');
    }
    const settings: [number, number][] = [];
    for (let at = start; at < end; at += SETTING_BYTES) {
      const name = bytes.readUInt16BE(at);
      const value = bytes.readUInt32BE(at + 2);
      checkSetting(name, value);
      settings.push([name, value]);
    }
    return this.#events.onSettings(settings);
  }
}

/** The values that a server may give (RFC 9113, section 6.5.2). */
function checkSetting(name: number, value: number): void {
  if (name === setting.enablePush && value !== 0) throw protocolError('a server that wants to be pushed to');
  if (name === setting.maxFrameSize && (value < FRAME_BYTES_MAX || value > FRAME_BYTES_LIMIT)) {
    throw protocolError('a size of frames that is not allowed');
  }
  if (name === setting.initialWindowSize && value > INT31_MAX) {
    throw new ProtocolError(errorCode.flowControlError, 'a window larger than allowed');
  }
}

function withoutPadding(
  flags: number,
  bytes: Buffer,
  start: number,
  end: number,
): [from: number, to: number] {
  if ((flags & flag.padded) === 0) return [start, end];
  expect(start < end);
  const from = start + 1;
  const to = end - (bytes[start] ?? 0);
  if (from > to) throw protocolError('more padding than frame');
  return [from, to];
}

function expect(isOfThatSize: boolean): void {
  if (!isOfThatSize) {
    throw new ProtocolError(errorCode.frameSizeError, 'a frame of another size than it must have');
  }
}

function expectConnection(streamId: number): void {
  if (streamId !== 0) throw protocolError('a frame of the connection on a stream');
}

function protocolError(message: string): ProtocolError {
  return new ProtocolError(errorCode.protocolError, message);
}
