/**
 * The keying material of browsers, in one buffer: 64 to 128 bytes a browser, where a `Map` takes 300. When it is full it keeps what
 * it has, and the next bulk notification finds that. If the oldest made room, one to more browsers than it holds would find none.
 */
import { hash } from 'node:crypto';
import { MATERIAL_BYTES } from './keying-material.ts';

/** A hash of the keys finds an entry, so that nobody gets the material of another browser by choosing keys. */
const TAG_BYTES = 16;
const ENTRY_BYTES = TAG_BYTES + MATERIAL_BYTES;
const ENTRIES_AT_FIRST = 1_024;
/** Of the places, so many are used before their number doubles. */
const LOAD_MAX = 0.75;

export class KeptMaterial {
  readonly #max: number;
  #entries = Buffer.alloc(ENTRIES_AT_FIRST * ENTRY_BYTES);
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @param keys `<p256dh>.<auth>` */
  find(keys: string): Buffer | undefined {
    const at = this.#placeOf(tagOf(keys));
    if (this.#isFree(at)) return undefined;
    return this.#entries.subarray(at + TAG_BYTES, at + ENTRY_BYTES);
  }

  add(keys: string, material: Uint8Array): void {
    if (this.#size >= this.#max) return;
    if ((this.#size + 1) * ENTRY_BYTES > this.#entries.length * LOAD_MAX) this.#grow();
    const tag = tagOf(keys);
    const at = this.#placeOf(tag);
    if (!this.#isFree(at)) return; // two messages to the browser were encrypted at once
    this.#entries.set(tag, at);
    this.#entries.set(material, at + TAG_BYTES);
    this.#size += 1;
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = Buffer.alloc(before.length * 2);
    for (let at = 0; at < before.length; at += ENTRY_BYTES) {
      if (before[at] === 0) continue;
      const entry = before.subarray(at, at + ENTRY_BYTES);
      this.#entries.set(entry, this.#placeOf(entry));
    }
  }

  /** @returns where the entry of the tag is, or the free place for it */
  #placeOf(tag: Buffer): number {
    const places = this.#entries.length / ENTRY_BYTES;
    let place = tag.readUInt32LE(1) % places;
    for (;;) {
      const at = place * ENTRY_BYTES;
      if (this.#isFree(at) || this.#entries.compare(tag, 0, TAG_BYTES, at, at + TAG_BYTES) === 0) return at;
      place = (place + 1) % places;
    }
  }

  #isFree(at: number): boolean {
    return this.#entries[at] === 0;
  }
}

const tag = Buffer.alloc(TAG_BYTES);

/** @returns a buffer that the next call overwrites */
function tagOf(keys: string): Buffer {
  tag.write(hash('sha256', keys, 'binary'), 'binary');
  tag[0] = (tag[0] ?? 0) | 1; // 0 is a free place
  return tag;
}
