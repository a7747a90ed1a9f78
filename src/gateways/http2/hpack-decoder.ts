/** Reads the header blocks of one connection's answers (HPACK, RFC 7541). Their order matters: each may change the table. */
import { decodeHuffman } from './huffman.ts';
import { errorCode, ProtocolError } from './protocol.ts';
import { entryBytes, staticTable, TABLE_BYTES } from './static-table.ts';

interface Entry {
  readonly name: string;
  readonly value: string;
}

/** Evicted entries that are kept until they are cleared away together: moving the others costs at every answer. */
const EVICTED_MAX = 128;

const staticEntries: readonly Entry[] = staticTable.map(([name, value]) => ({ name, value }));

export class HpackDecoder {
  /** The newest last, the opposite of how indexes count; those before `#oldest` have been evicted. */
  #dynamic: Entry[] = [];
  #oldest = 0;
  #dynamicBytes = 0;
  #bytesMax = TABLE_BYTES;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  /**
   * Decodes the header block in `bytes` from `start` up to `end`.
   * @returns flat names and values, in their order
   * @throws {ProtocolError} COMPRESSION_ERROR: the connection is of no more use
   */
  decode(bytes: Buffer, start: number, end: number): string[] {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    const fields: string[] = [];
    while (this.#at < end) {
      const first = this.#peek();
      if (first >= 0x80) {
        const { name, value } = this.#entryAt(this.#integer(7));
        fields.push(name, value);
      } else if (first >= 0x40) {
        const entry = this.#literal(6);
        this.#insert(entry);
        fields.push(entry.name, entry.value);
      } else if (first >= 0x20) {
        this.#resize(this.#integer(5));
      } else {
        const { name, value } = this.#literal(4); // not indexed, or never to be
        fields.push(name, value);
      }
    }
    return fields;
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
    const name = index === 0 ? this.#string() : this.#entryAt(index).name;
    return { name, value: this.#string() };
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

function compressionError(message: string): ProtocolError {
  return new ProtocolError(errorCode.compressionError, message);
}
