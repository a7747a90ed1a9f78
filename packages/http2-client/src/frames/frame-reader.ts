import {
  errorCode,
  flag,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  frameType,
  NotHttp2Error,
  ProtocolError,
} from './protocol.ts';

/** The payload is in `bytes` from `start` to `end`. */
export type OnFrame = (
  type: number,
  flags: number,
  streamId: number,
  bytes: Buffer,
  start: number,
  end: number,
) => void;

/** Splits bytes into frames (RFC 9113, section 4.1), and copies only frames that arrive in pieces. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  #rest: Buffer | undefined;
  #hasStarted = false;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /**
   * @param chunk holds new bytes from 0 to `chunkEnd`; may be overwritten after the call
   * @throws {ProtocolError} if the first frame is not SETTINGS, or a frame is larger than we allow; errors of `onFrame`
   *   pass through
   */
  read(chunk: Buffer, chunkEnd: number): void {
    const rest = this.#rest;
    if (rest === undefined) {
      this.#split(chunk, chunkEnd);
    } else {
      const bytes = Buffer.concat([rest, chunk.subarray(0, chunkEnd)]);
      this.#split(bytes, bytes.length);
    }
  }

  #split(bytes: Buffer, bytesEnd: number): void {
    let at = 0;
    while (bytesEnd - at >= FRAME_HEADER_BYTES) {
      if (!this.#hasStarted) this.#start(bytes, at);
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

  /** An HTTP/2 server starts with SETTINGS (RFC 9113, section 3.4), an HTTP/1.1 server with `HTTP/1.1 400`. */
  #start(bytes: Buffer, at: number): void {
    if (bytes[at + 3] !== frameType.settings || ((bytes[at + 4] ?? 0) & flag.ack) !== 0) {
      throw new NotHttp2Error();
    }
    this.#hasStarted = true;
  }
}
