/**
 * Reads the frames that the peer sends on one connection. It checks the length, stream id and values of each frame,
 * removes padding, joins and decompresses header blocks, and reports the results as events, in order. It does not know
 * which streams are open.
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
  /** @param cost the cost of reading the block, as a number of useless frames (`FrameBudget`) */
  onHeaders(streamId: number, block: HeaderBlock, isEnd: boolean, cost: number): void;
  /** @param frameBytes the bytes that count against the windows: body and padding */
  onBody(streamId: number, body: Buffer, frameBytes: number, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  /** @param settings ids and values, unknown ids included */
  onSettings(settings: readonly (readonly [number, number])[]): void;
  onPing(data: Buffer): void;
  onPong(data: Buffer): void;
  /** @param debugData arbitrary bytes, chosen by the peer */
  onGoaway(lastStreamId: number, code: number, debugData: Buffer): void;
  /**
   * @param streamId 0 for the connection
   * @param bytes may be 0 for a stream, but not for the connection
   */
  onWindowUpdate(streamId: number, bytes: number): void;
  /** A frame that has no meaning for us: PRIORITY, an unknown type, an acknowledgement of SETTINGS. */
  onIgnored(): void;
}

/** Larger header blocks are an attack. */
const HEADER_BYTES_MAX = 65_536;
/**
 * Added to the size of a block for each CONTINUATION frame; otherwise empty ones could go on forever. So a block may
 * have about 2,000 of them; nghttp2 allows 8.
 */
const CONTINUATION_BYTES = 32;
/** Bytes of a header block that cost as much to read as one useless frame. */
const FRAME_COST_BYTES = 256;
/** The most settings in one frame, as in nghttp2: applying each new window size costs a pass over all streams. */
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
  /** A header block that is continued in CONTINUATION frames. */
  #unfinished: { streamId: number; isEnd: boolean; fragments: Buffer[]; bytes: number } | undefined;

  constructor(events: IncomingEvents) {
    this.#events = events;
  }

  /**
   * @param chunk holds new bytes from 0 to `end`; buffers passed to an event are parts of it, valid until the event
   *   returns
   * @throws {ProtocolError} if the peer breaks the protocol
   */
  read(chunk: Buffer, end: number): void {
    this.#frames.read(chunk, end);
  }

  #onFrame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    if (this.#unfinished !== undefined && type !== frameType.continuation) {
      throw protocolError('an interrupted header block');
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
        expectSize(length === 4);
        return events.onReset(streamId, bytes.readUInt32BE(start));
      case frameType.windowUpdate:
        expectSize(length === 4);
        return this.#onWindowUpdate(streamId, bytes.readUInt32BE(start) & INT31_MAX);
      case frameType.settings:
        expectConnection(streamId);
        return this.#onSettings(flags, bytes, start, end);
      case frameType.ping:
        expectConnection(streamId);
        expectSize(length === 8);
        if ((flags & flag.ack) !== 0) return events.onPong(bytes.subarray(start, end));
        return events.onPing(bytes.subarray(start, end));
      case frameType.goaway:
        expectConnection(streamId);
        expectSize(length >= GOAWAY_BYTES_MIN);
        return events.onGoaway(
          bytes.readUInt32BE(start) & INT31_MAX,
          bytes.readUInt32BE(start + 4),
          bytes.subarray(start + GOAWAY_BYTES_MIN, end),
        );
      case frameType.priority:
        if (streamId === 0) throw protocolError('PRIORITY on stream 0');
        expectSize(length === PRIORITY_BYTES);
        return events.onIgnored();
      case frameType.pushPromise:
        throw protocolError('PUSH_PROMISE, which we have disabled');
      default: // to be ignored (RFC 9113, section 4.1)
        return events.onIgnored();
    }
  }

  #onHeaders(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [unpadded, to] = withoutPadding(flags, bytes, start, end);
    const from = (flags & flag.priority) === 0 ? unpadded : unpadded + PRIORITY_BYTES;
    expectSize(from <= to);
    const isEnd = (flags & flag.endStream) !== 0;
    if ((flags & flag.endHeaders) !== 0) {
      this.#onBlock(streamId, bytes, from, to, isEnd, 1);
    } else {
      this.#unfinished = {
        streamId,
        isEnd,
        fragments: [Buffer.from(bytes.subarray(from, to))],
        bytes: to - from,
      };
    }
  }

  #onContinuation(flags: number, streamId: number, fragment: Buffer): void {
    const unfinished = this.#unfinished;
    if (unfinished === undefined || unfinished.streamId !== streamId)
      throw protocolError('CONTINUATION without a header block');
    unfinished.fragments.push(Buffer.from(fragment));
    unfinished.bytes += fragment.length + CONTINUATION_BYTES;
    if (unfinished.bytes > HEADER_BYTES_MAX) {
      throw new ProtocolError(errorCode.enhanceYourCalm, 'a header block larger than allowed');
    }
    if ((flags & flag.endHeaders) === 0) return;
    this.#unfinished = undefined;
    const block = Buffer.concat(unfinished.fragments);
    this.#onBlock(streamId, block, 0, block.length, unfinished.isEnd, unfinished.fragments.length);
  }

  /** Blocks of ended streams are decoded too, since each may change the compression table. */
  #onBlock(streamId: number, bytes: Buffer, from: number, to: number, isEnd: boolean, frames: number): void {
    const cost = frames + Math.floor((to - from) / FRAME_COST_BYTES);
    this.#events.onHeaders(streamId, this.#decoder.decode(bytes, from, to), isEnd, cost);
  }

  #onBody(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = withoutPadding(flags, bytes, start, end);
    this.#events.onBody(streamId, bytes.subarray(from, to), end - start, (flags & flag.endStream) !== 0);
  }

  #onWindowUpdate(streamId: number, bytes: number): void {
    if (streamId === 0 && bytes === 0) throw protocolError('a window update of 0 bytes');
    this.#events.onWindowUpdate(streamId, bytes);
  }

  #onSettings(flags: number, bytes: Buffer, start: number, end: number): void {
    const isAck = (flags & flag.ack) !== 0;
    expectSize(isAck ? start === end : (end - start) % SETTING_BYTES === 0);
    if (isAck) return this.#events.onIgnored();
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

/** Checks the values that a server may send (RFC 9113, section 6.5.2). */
function checkSetting(name: number, value: number): void {
  if (name === setting.enablePush && value !== 0) throw protocolError('SETTINGS_ENABLE_PUSH from a server');
  if (name === setting.maxFrameSize && (value < FRAME_BYTES_MAX || value > FRAME_BYTES_LIMIT)) {
    throw protocolError('an invalid SETTINGS_MAX_FRAME_SIZE');
  }
  if (name === setting.initialWindowSize && value > INT31_MAX) {
    throw new ProtocolError(errorCode.flowControlError, 'a window larger than 2^31 - 1');
  }
}

function withoutPadding(
  flags: number,
  bytes: Buffer,
  start: number,
  end: number,
): [from: number, to: number] {
  if ((flags & flag.padded) === 0) return [start, end];
  expectSize(start < end);
  const from = start + 1;
  const to = end - (bytes[start] ?? 0);
  if (from > to) throw protocolError('padding longer than its frame');
  return [from, to];
}

function expectSize(isRight: boolean): void {
  if (!isRight) {
    throw new ProtocolError(errorCode.frameSizeError, 'a frame of the wrong size');
  }
}

function expectConnection(streamId: number): void {
  if (streamId !== 0) throw protocolError('a connection frame on a stream');
}

function protocolError(message: string): ProtocolError {
  return new ProtocolError(errorCode.protocolError, message);
}
