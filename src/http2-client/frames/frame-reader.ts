import {
  errorCode,
  flag,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  frameType,
  NotHttp2Error,
  ProtocolError,
} from './protocol.ts';

/** The payload is what lies in `bytes` from `start` up to `end`. */
export type OnFrame = (
  type: number,
  flags: number,
  streamId: number,
  bytes: Buffer,
  start: number,
  end: number,
) => void;

/** Cuts what the socket brings into frames (RFC 9113, section 4.1), and copies only those that come in pieces. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  #rest: Buffer | undefined;
  #hasBegun = false;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /**
   * @param chunk what has come, from 0 up to `chunkEnd`; it is not needed any more afterwards
   * @throws {ProtocolError} PROTOCOL_ERROR where the first frame is not SETTINGS, FRAME_SIZE_ERROR for one larger than we
   *   allow, and what `onFrame` throws
   */
  read(chunk: Buffer, chunkEnd: number): void {
    const rest = this.#rest;
    if (rest === undefined) {
      this.#cut(chunk, chunkEnd);
    } else {
      const bytes = Buffer.concat([rest, chunk.subarray(0, chunkEnd)]);
      this.#cut(bytes, bytes.length);
    }
  }

  #cut(bytes: Buffer, bytesEnd: number): void {
    let at = 0;
    while (bytesEnd - at >= FRAME_HEADER_BYTES) {
      if (!this.#hasBegun) this.#begin(bytes, at);
      const length = bytes.readUIntBE(at, 3);
      if (length > FRAME_BYTES_MAX) {
        throw new ProtocolError(errorCode.frameSizeError, 'a frame larger than allowed');
      }
      const start = at + FRAME_HEADER_BYTES;
      const end = start + length;
      if (end > bytesEnd) break;
      const streamId = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      this.#onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, streamId, bytes, start, end);
      at = end;
    }
    this.#rest = at === bytesEnd ? undefined : Buffer.from(bytes.subarray(at, bytesEnd));
  }

  /** A server begins with SETTINGS (RFC 9113, section 3.4); one of HTTP/1.1 with `HTTP/1.1 400`. */
  #begin(bytes: Buffer, at: number): void {
    if (bytes[at + 3] !== frameType.settings || ((bytes[at + 4] ?? 0) & flag.ack) !== 0) {
      throw new NotHttp2Error();
    }
    this.#hasBegun = true;
  }
}
