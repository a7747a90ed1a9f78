/**
 * Writes the header blocks of one connection's requests (HPACK, RFC 7541). Headers that many requests share are
 * put into the connection's table with the first and cost about a byte each from then on; what belongs to one
 * request alone, such as a path with a device token, is written as a literal that no one may ever index.
 */
import { entryBytes, staticTable, TABLE_BYTES } from './static-table.ts';

/** Bytes of a header beside its name and value: two lengths of up to three bytes, and the kind. */
const HEADER_OVERHEAD_BYTES = 8;
/** Two table-size updates of up to four bytes may lead a block (section 4.2). */
const BLOCK_OVERHEAD_BYTES = 8;

const NEVER_INDEXED = 0x10;
const INDEXED_FROM_NOW = 0x40;
const INDEXED = 0x80;
const SIZE_UPDATE = 0x20;

const staticIndexes = new Map(
  staticTable.map(([name, value], index) => [keyOf(name, value), index + 1] as const),
);
const staticNames = new Map(staticTable.map(([name], index) => [name, index + 1] as const).toReversed());

/** How many bytes a header block may take at most. @param lists flat names and values, one character a byte */
export function blockBytesMax(...lists: readonly (readonly string[])[]): number {
  let bytes = BLOCK_OVERHEAD_BYTES;
  for (const list of lists) {
    for (const text of list) bytes += text.length;
    bytes += (list.length / 2) * HEADER_OVERHEAD_BYTES;
  }
  return bytes;
}

export class HpackEncoder {
  /** By name and value: the how-manieth entry of the dynamic table it was. */
  readonly #numbers = new Map<string, number>();
  /** The oldest first. */
  readonly #entries: { key: string; bytes: number }[] = [];
  #inserted = 0;
  #evicted = 0;
  #tableBytes = 0;
  #tableBytesMax = TABLE_BYTES;
  /** The smallest and the last size the peer has asked for since the last block. */
  #sizeUpdates: { least: number; last: number } | undefined;
  /** Shared headers that are all in a table, as they were written at this state of it. */
  readonly #written = new WeakMap<readonly string[], { changes: number; block: Buffer }>();

  /** The peer's SETTINGS_HEADER_TABLE_SIZE; told to it with the next block. */
  setTableBytes(bytes: number): void {
    const allowed = Math.min(bytes, TABLE_BYTES);
    this.#sizeUpdates = { least: Math.min(allowed, this.#sizeUpdates?.least ?? allowed), last: allowed };
  }

  /** What has to stand at the start of a block. @returns where the next byte goes */
  begin(target: Buffer, at: number): number {
    if (this.#sizeUpdates === undefined) return at;
    const { least, last } = this.#sizeUpdates;
    this.#sizeUpdates = undefined;
    this.#evict(least);
    this.#tableBytesMax = last;
    const next = writeInteger(target, at, SIZE_UPDATE, 5, least);
    return least === last ? next : writeInteger(target, next, SIZE_UPDATE, 5, last);
  }

  /** Writes headers that others will share, by the identity of the array. @returns where the next byte goes */
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

  /** Writes headers of this one request. @returns where the next byte goes */
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
    return writeLiteral(target, at, INDEXED_FROM_NOW, 6, name, value);
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

/** An integer behind the bits of `kind` (section 5.1). */
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
