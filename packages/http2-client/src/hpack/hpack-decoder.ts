/**
 * Decodes the header blocks of one connection (HPACK, RFC 7541), in the order of arrival, since each may change the
 * table.
 */
import { decodeHuffman } from './huffman.ts';
import { errorCode, ProtocolError } from '../frames/protocol.ts';
import { entryBytes, staticTable, TABLE_BYTES } from './static-table.ts';

export interface HeaderBlock {
  /** Alternating names and values, in the order of the block. */
  readonly fields: readonly string[];
  /** A name or value is invalid, so the message is malformed; the connection is fine. */
  readonly isMalformed: boolean;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly isNameMalformed: boolean;
  /** Whether the name or the value is malformed. */
  readonly isMalformed: boolean;
}

/** Evicted entries are removed so many at a time, since removing one moves all others. */
const EVICTED_MAX = 128;

/**
 * The limit for the decoded fields of one block, counted as for SETTINGS_MAX_HEADER_LIST_SIZE (RFC 9113, section
 * 6.5.2). Without it, one byte of a block could stand for 4 KB. `node:http2` allows 65,535.
 */
const LIST_BYTES_MAX = 262_144;

/** Lower-case, without white space and control characters, a colon only at the start (RFC 9113, section 8.2.1). */
const HEADER_NAME = /^:?[!-9;-@[-~]+$/;
/** Headers of an HTTP/1.1 connection, which HTTP/2 forbids (section 8.2.2). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name) && !CONNECTION_HEADERS.has(name);
}

function isHeaderValue(value: string): boolean {
  if (value === '') return true;
  if (isWhiteSpace(value.charCodeAt(0)) || isWhiteSpace(value.charCodeAt(value.length - 1))) return false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code === 0 || code === 0x0a || code === 0x0d) return false;
  }
  return true;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const staticEntries = staticTable.map(([name, value]) => entryOf(name, !isHeaderName(name), value));

export class HpackDecoder {
  /** In order of insertion, although HPACK's indexes count from the newest; entries before `#oldest` are evicted. */
  #dynamic: Entry[] = [];
  #oldest = 0;
  #dynamicBytes = 0;
  #bytesMax = TABLE_BYTES;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** Reused for all blocks, since every answer has one. */
  readonly #block: Mutable<HeaderBlock> = { fields: [], isMalformed: false };

  /**
   * Decodes the header block in `bytes` from `start` to `end`.
   * @returns an object that the next call overwrites; its `fields` may be kept
   * @throws {ProtocolError} COMPRESSION_ERROR, or ENHANCE_YOUR_CALM for a list that is too large; the connection cannot
   *   be used afterwards
   */
  decode(bytes: Buffer, start: number, end: number): HeaderBlock {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    const fields: string[] = [];
    let isMalformed = false;
    let listBytes = 0;
    while (this.#at < end) {
      const first = this.#peek();
      if (first >= 0x20 && first < 0x40) {
        if (fields.length > 0) throw compressionError('a table size update after a header'); // section 4.2
        this.#resize(this.#integer(5));
        continue;
      }
      const entry = this.#field(first);
      listBytes += entryBytes(entry.name, entry.value);
      if (listBytes > LIST_BYTES_MAX) {
        throw new ProtocolError(errorCode.enhanceYourCalm, 'a header list larger than allowed');
      }
      isMalformed ||= entry.isMalformed;
      fields.push(entry.name, entry.value);
    }
    this.#block.fields = fields;
    this.#block.isMalformed = isMalformed;
    return this.#block;
  }

  #field(first: number): Entry {
    if (first >= 0x80) return this.#entryAt(this.#integer(7));
    if (first < 0x40) return this.#literal(4); // without indexing, or never indexed
    const entry = this.#literal(6);
    this.#insert(entry);
    return entry;
  }

  #peek(): number {
    if (this.#at >= this.#end) throw compressionError('a truncated header block');
    return this.#bytes[this.#at] ?? 0;
  }

  /** Reads an integer that starts in the low bits of a byte (section 5.1). */
  #integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#peek() & most;
    this.#at += 1;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#peek();
      this.#at += 1;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw compressionError('an integer too large in a header block');
  }

  #literal(prefixBits: number): Entry {
    const index = this.#integer(prefixBits);
    if (index === 0) {
      const name = this.#string();
      return entryOf(name, !isHeaderName(name), this.#string());
    }
    const { name, isNameMalformed } = this.#entryAt(index);
    return entryOf(name, isNameMalformed, this.#string());
  }

  #string(): string {
    const isCoded = (this.#peek() & 0x80) !== 0;
    const length = this.#integer(7);
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) throw compressionError('a string that exceeds its header block');
    this.#at = end;
    if (!isCoded) return this.#bytes.toString('latin1', start, end);
    const decoded = decodeHuffman(this.#bytes, start, end);
    if (decoded === undefined) throw compressionError('an invalid Huffman code in a header block');
    return decoded;
  }

  #entryAt(index: number): Entry {
    const position = this.#dynamic.length + staticEntries.length - index;
    const isDynamic = index > staticEntries.length && position >= this.#oldest;
    const entry = isDynamic ? this.#dynamic[position] : staticEntries[index - 1];
    if (entry === undefined) throw compressionError('an index that is in no table');
    return entry;
  }

  #insert(entry: Entry): void {
    const bytes = entryBytes(entry.name, entry.value);
    this.#evict(this.#bytesMax - bytes);
    if (bytes > this.#bytesMax) return; // legal: it empties the table
    this.#dynamic.push(entry);
    this.#dynamicBytes += bytes;
  }

  #resize(bytesMax: number): void {
    if (bytesMax > TABLE_BYTES) throw compressionError('a header table larger than allowed');
    this.#bytesMax = bytesMax;
    this.#evict(bytesMax);
  }

  #evict(bytesMax: number): void {
    while (this.#dynamicBytes > bytesMax) {
      const oldest = this.#dynamic[this.#oldest];
      if (oldest === undefined) return;
      this.#oldest += 1;
      this.#dynamicBytes -= entryBytes(oldest.name, oldest.value);
    }
    if (this.#oldest < EVICTED_MAX) return;
    this.#dynamic = this.#dynamic.slice(this.#oldest);
    this.#oldest = 0;
  }
}

function entryOf(name: string, isNameMalformed: boolean, value: string): Entry {
  return { name, value, isNameMalformed, isMalformed: isNameMalformed || !isHeaderValue(value) };
}

function compressionError(message: string): ProtocolError {
  return new ProtocolError(errorCode.compressionError, message);
}
