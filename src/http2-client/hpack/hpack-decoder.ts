/** Reads the header blocks of one connection's answers (HPACK, RFC 7541). Their order matters: each may change the table. */
import { isHeaderName, isHeaderValue } from './header-field.ts';
import { decodeHuffman } from './huffman.ts';
import { errorCode, ProtocolError } from '../frames/protocol.ts';
import { entryBytes, staticTable, TABLE_BYTES } from './static-table.ts';

/** What a header block says. */
export interface HeaderBlock {
  /** Flat names and values, in their order. */
  readonly fields: readonly string[];
  /** Some name or value is none: the message is malformed, the connection is not. */
  readonly isMalformed: boolean;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly isNameMalformed: boolean;
  /** Its name or its value is. */
  readonly isMalformed: boolean;
}

/** Evicted entries that are kept until they are cleared away together: moving the others costs at every answer. */
const EVICTED_MAX = 128;

/**
 * What the fields of one block may take, counted as SETTINGS_MAX_HEADER_LIST_SIZE does (RFC 9113, section 6.5.2):
 * a byte of a block may stand for 4 KB of them. `node:http2` allows 65,535.
 */
const LIST_BYTES_MAX = 262_144;

const staticEntries = staticTable.map(([name, value]) => entryOf(name, !isHeaderName(name), value));

export class HpackDecoder {
  /** The newest last, the opposite of how indexes count; those before `#oldest` have been evicted. */
  #dynamic: Entry[] = [];
  #oldest = 0;
  #dynamicBytes = 0;
  #bytesMax = TABLE_BYTES;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** The same for all blocks: there is one with every answer. */
  readonly #block: Mutable<HeaderBlock> = { fields: [], isMalformed: false };

  /**
   * Decodes the header block in `bytes` from `start` up to `end`.
   * @returns good until the next is decoded; its fields are for keeping
   * @throws {ProtocolError} COMPRESSION_ERROR, or ENHANCE_YOUR_CALM for a list that is too large: the connection is of
   *   no more use
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
        if (fields.length > 0) throw compressionError('a table size update behind a header'); // section 4.2
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
    if (first < 0x40) return this.#literal(4); // not indexed, or never to be
    const entry = this.#literal(6);
    this.#insert(entry);
    return entry;
  }

  #peek(): number {
    if (this.#at >= this.#end) throw compressionError('a header block ends too soon');
    return this.#bytes[this.#at] ?? 0;
  }

  /** An integer whose first byte lends it its lowest bits (section 5.1). */
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
    throw compressionError('an integer of a header block is too large');
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
    if (end > this.#end) throw compressionError('a string of a header block ends too late');
    this.#at = end;
    if (!isCoded) return this.#bytes.toString('latin1', start, end);
    const decoded = decodeHuffman(this.#bytes, start, end);
    if (decoded === undefined) throw compressionError('a string of a header block cannot be decoded');
    return decoded;
  }

  #entryAt(index: number): Entry {
    const place = this.#dynamic.length + staticEntries.length - index;
    const isDynamic = index > staticEntries.length && place >= this.#oldest;
    const entry = isDynamic ? this.#dynamic[place] : staticEntries[index - 1];
    if (entry === undefined) throw compressionError('a header block names an entry that does not exist');
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
