/** Writes small databases in MaxMind's format 2.0 (https://maxmind.github.io/MaxMind-DB/). */

/** The data of a network: strings, doubles and maps of them, as in a City database. */
export type Value = string | number | { readonly [name: string]: Value };

/** An inner node, the place of a value among the data, or nothing. */
type Place = { node: number } | { data: number } | undefined;

const RECORD_BYTES = 3;
const SEPARATOR = Buffer.alloc(16);
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** @param networks by what they cover: `81.2.69.0/24` or `2a02:cf40::/29`, with `::` once */
export function mmdb(networks: Readonly<Record<string, Value>>): Buffer {
  const nodes: [Place, Place][] = [[undefined, undefined]];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [range, value] of Object.entries(networks)) {
    insert(nodes, bitsOf(range), { data: dataBytes });
    const encoded = encode(value);
    data.push(encoded);
    dataBytes += encoded.length;
  }
  const records = nodes.flat().map((place) => {
    if (place === undefined) return nodes.length;
    return 'node' in place ? place.node : nodes.length + SEPARATOR.length + place.data;
  });
  const tree = Buffer.alloc(records.length * RECORD_BYTES);
  for (const [index, at] of records.entries()) tree.writeUIntBE(at, index * RECORD_BYTES, RECORD_BYTES);
  return Buffer.concat([tree, SEPARATOR, ...data, MARKER, metadata(nodes.length)]);
}

function insert(nodes: [Place, Place][], bits: string, place: Place): void {
  let at = 0;
  for (const [depth, bit] of bits.split('').entries()) {
    const node = nodes[at];
    const side = bit === '1' ? 1 : 0;
    if (node === undefined) throw new Error('a network lies within another');
    if (depth === bits.length - 1) {
      node[side] = place;
      return;
    }
    const next = node[side] ?? { node: nodes.push([undefined, undefined]) - 1 };
    node[side] = next;
    if (!('node' in next)) throw new Error('a network lies within another');
    at = next.node;
  }
}

/** Of IPv6: IPv4 lies in the 32 after 96 of zero. */
function bitsOf(range: string): string {
  const [address = '', length = ''] = range.split('/');
  if (!address.includes(':')) {
    const bytes = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
    return '0'.repeat(96) + bytes.join('').slice(0, Number(length));
  }
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  const bits = groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'));
  return bits.join('').slice(0, Number(length));
}

function metadata(nodeCount: number): Buffer {
  return Buffer.concat([
    control(7, 9),
    encode('node_count'),
    unsigned(6, nodeCount),
    encode('record_size'),
    unsigned(5, RECORD_BYTES * 8),
    encode('ip_version'),
    unsigned(5, 6),
    encode('database_type'),
    encode('Test-City'),
    encode('languages'),
    control(11, 0),
    encode('binary_format_major_version'),
    unsigned(5, 2),
    encode('binary_format_minor_version'),
    unsigned(5, 0),
    encode('build_epoch'),
    unsigned(9, 1_795_000_000),
    encode('description'),
    control(7, 0),
  ]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'number') {
    const double = Buffer.alloc(8);
    double.writeDoubleBE(value);
    return Buffer.concat([control(3, 8), double]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([name, inner]) => [encode(name), encode(inner)]),
  ]);
}

function unsigned(type: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const used = bytes.subarray(bytes.findIndex((byte) => byte > 0));
  const digits = value === 0 ? Buffer.alloc(0) : used;
  return Buffer.concat([control(type, digits.length), digits]);
}

/** @param size below 29, as all that is written here */
function control(type: number, size: number): Buffer {
  if (size >= 29) throw new Error('too long for this writer');
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}
