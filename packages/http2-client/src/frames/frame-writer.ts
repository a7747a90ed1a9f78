import { FRAME_HEADER_BYTES } from './protocol.ts';

/** Enough for the frames of most turns of the event loop; other turns take several slabs. */
const SLAB_BYTES = 65_536;

/** Slabs kept for reuse: at 50,000 requests per second, new ones would make 16 MB of garbage per second. */
const SPARE_MAX = 2;

/** Bytes for the socket. */
export interface Chunk {
  readonly bytes: Buffer;
  /** Call it when the bytes have been written, so that their buffer can be reused. */
  readonly onWritten: (() => void) | undefined;
}

/** Collects frames in large buffers, slabs, so that many requests leave in one write. */
export class FrameWriter {
  #slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #start = 0;
  #end = 0;
  #full: Chunk[] = [];
  readonly #spare: Buffer[] = [];

  /** The current slab. After `reserve`, frames may be written into it from `at` on. */
  get bytes(): Buffer {
    return this.#slab;
  }

  get at(): number {
    return this.#end;
  }

  get isEmpty(): boolean {
    return this.#end === this.#start && this.#full.length === 0;
  }

  /** Makes sure that `length` bytes fit. */
  reserve(length: number): void {
    if (this.#slab.length - this.#end >= length) return;
    const slab = this.#slab;
    if (this.#end > this.#start) {
      // Writes complete in order: once the last bytes of a slab are written, all of it is.
      const bytes = slab.subarray(this.#start, this.#end);
      this.#full.push({ bytes, onWritten: () => this.#reuse(slab) });
    }
    const spare = length <= SLAB_BYTES ? this.#spare.pop() : undefined;
    this.#slab = spare ?? Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length));
    this.#start = 0;
    this.#end = 0;
  }

  /** The caller has written frames up to `end`. */
  advanceTo(end: number): void {
    this.#end = end;
  }

  /** Writes a whole frame. */
  frame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    this.reserve(FRAME_HEADER_BYTES + payload.length);
    const start = writeFrameHeader(this.#slab, this.#end, payload.length, type, flags, streamId);
    this.#slab.set(payload, start);
    this.#end = start + payload.length;
  }

  /** Returns all collected bytes, in order. */
  take(): Chunk[] {
    const taken = this.#full;
    this.#full = [];
    if (this.#end > this.#start) {
      taken.push({ bytes: this.#slab.subarray(this.#start, this.#end), onWritten: undefined });
    }
    this.#start = this.#end;
    return taken;
  }

  #reuse(slab: Buffer): void {
    if (slab.length === SLAB_BYTES && this.#spare.length < SPARE_MAX) this.#spare.push(slab);
  }
}

/** @returns the position of the payload */
export function writeFrameHeader(
  target: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  target[at] = length >>> 16;
  target[at + 1] = length >>> 8;
  target[at + 2] = length;
  target[at + 3] = type;
  target[at + 4] = flags;
  target[at + 5] = streamId >>> 24;
  target[at + 6] = streamId >>> 16;
  target[at + 7] = streamId >>> 8;
  target[at + 8] = streamId;
  return at + FRAME_HEADER_BYTES;
}
