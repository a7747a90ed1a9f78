/**
 * Encodes the header blocks of one connection (HPACK, RFC 7541). Headers that many requests share enter the table with
 * the first request, and cost about one byte each from then on. Headers of a single request, such as a path with a
 * device token, are sent as literals that must never be indexed.
 */
import { entryBytes, staticTable, TABLE_BYTES } from './static-table.ts';

/** Bytes per header in addition to its name and value: two lengths of up to three bytes, and the kind. */
const HEADER_OVERHEAD_BYTES = 8;
/** Two table size updates of up to four bytes may start a block (section 4.2). */
const BLOCK_OVERHEAD_BYTES = 8;

const NEVER_INDEXED = 0x10;
const INCREMENTAL_INDEXING = 0x40;
const INDEXED = 0x80;
const SIZE_UPDATE = 0x20;

const staticIndexes = new Map(
  staticTable.map(([name, value], index) => [keyOf(name, value), index + 1] as const),
);
const staticNames = new Map(staticTable.map(([name], index) => [name, index + 1] as const).toReversed());

/** The largest size of a header block. @param lists alternating names and values, one byte per character */
export function blockBytesMax(...lists: readonly (readonly string[])[]): number {
  let bytes = BLOCK_OVERHEAD_BYTES;
  for (const list of lists) {
    for (const text of list) bytes += text.length;
    bytes += (list.length / 2) * HEADER_OVERHEAD_BYTES;
  }
  return bytes;
}

export class HpackEncoder {
  /** The sequence number of each entry of the dynamic table, by name and value. */
  readonly #numbers = new Map<string, number>();
  /** From the oldest to the newest. */
  readonly #entries: { key: string; bytes: number }[] = [];
  #inserted = 0;
  #evicted = 0;
  #tableBytes = 0;
  #tableBytesMax = TABLE_BYTES;
  /** The smallest and the latest table size that the peer has set since the last block. */
  #sizeUpdates: { least: number; last: number } | undefined;
  /** Encoded shared headers, valid while the table does not change. */
  readonly #written = new WeakMap<readonly string[], { changes: number; block: Buffer }>();

  /** Applies the peer's SETTINGS_HEADER_TABLE_SIZE; the next block acknowledges it. */
  setTableBytes(bytes: number): void {
    const allowed = Math.min(bytes, TABLE_BYTES);
    this.#sizeUpdates = { least: Math.min(allowed, this.#sizeUpdates?.least ?? allowed), last: allowed };
  }

  /** Starts a block. @returns the position of the next byte */
  begin(target: Buffer, at: number): number {
    if (this.#sizeUpdates === undefined) return at;
    const { least, last } = this.#sizeUpdates;
    this.#sizeUpdates = undefined;
    this.#evict(least);
    this.#tableBytesMax = last;
    const next = writeInteger(target, at, SIZE_UPDATE, 5, least);
    return least === last ? next : writeInteger(target, next, SIZE_UPDATE, 5, last);
  }

  /**
   * Writes shared headers; the array itself is the key to their encoded form. @returns the position of the next byte
   */
  shared(target: Buffer, at: number, headers: readonly string[]): number {
    const written = this.#written.get(headers);
    if (written !== undefined && written.changes === this.#changes) {
      return at + written.block.copy(target, at);
    }
    const changesBefore = this.#changes;
    let end = at;
    for (let index = 0; index < headers.length; index += 2) {
      end = this.#indexed(target, end, headers[index] ?? '', headers[index + 1] ?? '');
    }
    if (this.#changes === changesBefore) {
      this.#written.set(headers, { changes: changesBefore, block: Buffer.from(target.subarray(at, end)) });
    }
    return end;
  }

  /** Writes headers of a single request. @returns the position of the next byte */
  own(target: Buffer, at: number, headers: readonly string[]): number {
    let end = at;
    for (let index = 0; index < headers.length; index += 2) {
      end = writeLiteral(target, end, NEVER_INDEXED, 4, headers[index] ?? '', headers[index + 1] ?? '');
    }
    return end;
  }

  get #changes(): number {
    return this.#inserted + this.#evicted;
  }

  #indexed(target: Buffer, at: number, name: string, value: string): number {
    const key = keyOf(name, value);
    const staticIndex = staticIndexes.get(key);
    if (staticIndex !== undefined) return writeInteger(target, at, INDEXED, 7, staticIndex);
    const number = this.#numbers.get(key);
    if (number !== undefined) {
      return writeInteger(target, at, INDEXED, 7, staticTable.length + 1 + this.#inserted - number);
    }
    const bytes = entryBytes(name, value);
    if (bytes > this.#tableBytesMax) return writeLiteral(target, at, 0, 4, name, value);
    this.#evict(this.#tableBytesMax - bytes);
    this.#inserted += 1;
    this.#numbers.set(key, this.#inserted);
    this.#entries.push({ key, bytes });
    this.#tableBytes += bytes;
    return writeLiteral(target, at, INCREMENTAL_INDEXING, 6, name, value);
  }

  #evict(bytesMax: number): void {
    while (this.#tableBytes > bytesMax) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#evicted += 1;
      this.#numbers.delete(oldest.key);
      this.#tableBytes -= oldest.bytes;
    }
  }
}

function writeLiteral(
  target: Buffer,
  at: number,
  kind: number,
  prefixBits: number,
  name: string,
  value: string,
): number {
  const nameIndex = staticNames.get(name) ?? 0;
  let end = writeInteger(target, at, kind, prefixBits, nameIndex);
  if (nameIndex === 0) end = writeString(target, end, name);
  return writeString(target, end, value);
}

function writeString(target: Buffer, at: number, text: string): number {
  const end = writeInteger(target, at, 0, 7, text.length);
  return end + target.write(text, end, 'latin1');
}

/** Writes an integer after the bits of `kind` (section 5.1). */
function writeInteger(target: Buffer, at: number, kind: number, prefixBits: number, value: number): number {
  const most = (1 << prefixBits) - 1;
  let end = at;
  if (value < most) {
    target[end++] = kind | value;
    return end;
  }
  target[end++] = kind | most;
  let left = value - most;
  for (; left >= 0x80; left >>>= 7) target[end++] = (left & 0x7f) | 0x80;
  target[end++] = left;
  return end;
}

function keyOf(name: string, value: string): string {
  return `${name}\0${value}`;
}
