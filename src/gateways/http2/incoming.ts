/**
 * What the peer says on one connection: cuts the bytes into frames, checks them, undoes padding, continuation and
 * header compression, and passes on what is left, in order.
 */
import { FrameReader } from './frame-reader.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { errorCode, flag, frameType, INT31_MAX, ProtocolError } from './protocol.ts';

export interface IncomingEvents {
  /** @param fields flat names and values */
  onHeaders(streamId: number, fields: readonly string[], isEnd: boolean): void;
  /** @param frameBytes what the frame takes of the windows: its body and its padding */
  onBody(streamId: number, body: Buffer, frameBytes: number, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  /** @param settings numbers and values; a number that is not known is to be passed over */
  onSettings(settings: readonly (readonly [number, number])[]): void;
  onPing(data: Buffer): void;
  onPong(): void;
  onGoaway(lastStreamId: number, code: number): void;
  /** @param streamId 0 for the connection */
  onWindowUpdate(streamId: number, bytes: number): void;
}

/** Header blocks of answers beyond this are an attack. */
const HEADER_BYTES_MAX = 65_536;
const PRIORITY_BYTES = 5;

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
      throw new ProtocolError(errorCode.protocolError, 'a header block was interrupted');
    }
    const events = this.#events;
    switch (type) {
      case frameType.headers:
        return this.#onHeaders(flags, streamId, bytes, start, end);
      case frameType.data:
        return this.#onBody(flags, streamId, bytes, start, end);
      case frameType.continuation:
        return this.#onContinuation(flags, streamId, bytes.subarray(start, end));
      case frameType.rstStream:
        return events.onReset(streamId, uint32At(bytes, start, end));
      case frameType.settings:
        return (flags & flag.ack) === 0 ? this.#onSettings(bytes, start, end) : undefined;
      case frameType.ping:
        return (flags & flag.ack) === 0 ? events.onPing(bytes.subarray(start, end)) : events.onPong();
      case frameType.goaway:
        return events.onGoaway(uint32At(bytes, start, end) & INT31_MAX, uint32At(bytes, start + 4, end));
      case frameType.windowUpdate:
        return events.onWindowUpdate(streamId, uint32At(bytes, start, end) & INT31_MAX);
      case frameType.pushPromise:
        throw new ProtocolError(errorCode.protocolError, 'a push that was forbidden');
      default: // PRIORITY, and types that are not known: to be ignored (RFC 9113, section 4.1)
    }
  }

  #onHeaders(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [unpadded, to] = withoutPadding(flags, bytes, start, end);
    const from = (flags & flag.priority) === 0 ? unpadded : unpadded + PRIORITY_BYTES;
    const isEnd = (flags & flag.endStream) !== 0;
    if ((flags & flag.endHeaders) !== 0) {
      // Decoded whether or not anybody waits for this stream: the table of the connection depends on it.
      this.#events.onHeaders(streamId, this.#decoder.decode(bytes, from, to), isEnd);
    } else {
      this.#begun = { streamId, isEnd, fragments: [Buffer.from(bytes.subarray(from, to))], bytes: to - from };
    }
  }

  #onContinuation(flags: number, streamId: number, fragment: Buffer): void {
    const begun = this.#begun;
    if (begun === undefined || begun.streamId !== streamId) {
      throw new ProtocolError(errorCode.protocolError, 'a continuation of nothing');
    }
    begun.fragments.push(Buffer.from(fragment));
    begun.bytes += fragment.length;
    if (begun.bytes > HEADER_BYTES_MAX) {
      throw new ProtocolError(errorCode.enhanceYourCalm, 'a header block larger than allowed');
    }
    if ((flags & flag.endHeaders) === 0) return;
    this.#begun = undefined;
    const block = Buffer.concat(begun.fragments);
    this.#events.onHeaders(streamId, this.#decoder.decode(block, 0, block.length), begun.isEnd);
  }

  #onBody(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const [from, to] = withoutPadding(flags, bytes, start, end);
    this.#events.onBody(streamId, bytes.subarray(from, to), end - start, (flags & flag.endStream) !== 0);
  }

  #onSettings(bytes: Buffer, start: number, end: number): void {
    if ((end - start) % 6 !== 0) throw new ProtocolError(errorCode.frameSizeError, 'SETTINGS of an odd size');
    const settings: [number, number][] = [];
    for (let at = start; at < end; at += 6)
      settings.push([bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2)]);
    this.#events.onSettings(settings);
  }
}

function withoutPadding(
  flags: number,
  bytes: Buffer,
  start: number,
  end: number,
): [from: number, to: number] {
  if ((flags & flag.padded) === 0) return [start, end];
  const from = start + 1;
  const to = end - (bytes[start] ?? 0);
  if (from > to) throw new ProtocolError(errorCode.protocolError, 'more padding than frame');
  return [from, to];
}

function uint32At(bytes: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw new ProtocolError(errorCode.frameSizeError, 'a frame smaller than it must be');
  return bytes.readUInt32BE(at);
}
