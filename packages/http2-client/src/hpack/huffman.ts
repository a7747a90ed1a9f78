/**
 * Decodes the Huffman code of HPACK (RFC 7541, appendix B). There is no encoder, because our headers are short, or sent
 * once per connection. The code is canonical, so the lengths define it: among codes of equal length, smaller symbols
 * have smaller codes.
 */

/** Bits of the code of each octet 0 to 255 and of the end-of-string symbol, 256; `28x7`: seven times 28. */
const CODE_BITS =
  '13 23 28x7 24 30 28x2 30 28x8 30 28x9 6 10x2 12 13 6 8 11 10x2 8 11 8 6x3 5x3 6x7 7 8 15 6 12 10 13 6 7x22 8 7 8 ' +
  '13 19 13 14 6 15 5 6 5 6 5 6x3 5 7x2 6x3 5 6 7 6 5x2 6 7x5 15 11 14 13 28 20 22 20x2 22x3 23 22 23x5 24 23 24x2 ' +
  '22 23 24 23x4 21 22 23 22 23x2 24 22 21 20 22x2 23x2 21 23 22x2 24 21 22 23x2 21x2 22 21 23 22 23x2 20 22x3 23 ' +
  '22x2 23 26x2 20 19 22 23 22 25 26x3 27x2 26 24 25 19 21 26 27x2 26 27 24 21x2 26x2 28 27x3 20 24 20 21 22 21x2 23 ' +
  '22x2 25x2 24x2 26 23 26 27 26x2 27x5 28 27x5 26 30';

const END_OF_STRING = 256;
/** Inner nodes of the code tree: one fewer than its 257 leaves. */
const STATES = 256;
const NIBBLES = 16;
/** A step into the end-of-string symbol, which must not occur in a string. */
const FAILS = -1;
const EMITS = 1 << 16;

/** By state and next four bits: the next state and at most one octet, since no code is shorter than five bits. */
const steps = new Int32Array(STATES * NIBBLES);
/** States in which a string may end: after a padding of fewer than eight one bits. */
const mayEnd = new Uint8Array(STATES);
buildSteps();

function buildSteps(): void {
  const bits = CODE_BITS.split(' ').flatMap((run) => {
    const [length, times] = run.split('x').map(Number);
    return Array.from({ length: times ?? 1 }, () => length ?? 0);
  });
  // Children by node and bit: an inner node is its number, a leaf is -1 - symbol.
  const children: [number, number][] = [[0, 0]];
  const symbols = [...bits.keys()].toSorted((a, b) => (bits[a] ?? 0) - (bits[b] ?? 0) || a - b);
  let code = 0;
  let length = 0;
  for (const symbol of symbols) {
    const symbolBits = bits[symbol] ?? 0;
    code *= 2 ** (symbolBits - length);
    length = symbolBits;
    insert(children, code, length, -1 - symbol);
    code += 1;
  }
  for (let state = 0; state < STATES; state++) {
    for (let nibble = 0; nibble < NIBBLES; nibble++)
      steps[state * NIBBLES + nibble] = stepFrom(children, state, nibble);
  }
  for (let depth = 0, node = 0; depth < 8; depth++, node = children[node]?.[1] ?? 0) mayEnd[node] = 1;
}

function insert(children: [number, number][], code: number, length: number, leaf: number): void {
  let node = 0;
  for (let bit = length - 1; bit >= 0; bit--) {
    const side = (code >>> bit) & 1;
    const pair = children[node] ?? [0, 0];
    if (bit === 0) {
      pair[side === 1 ? 1 : 0] = leaf;
    } else {
      node = side === 1 ? pair[1] : pair[0];
      if (node === 0) {
        node = children.push([0, 0]) - 1;
        pair[side === 1 ? 1 : 0] = node;
      }
    }
  }
}

function stepFrom(children: readonly [number, number][], state: number, nibble: number): number {
  let node = state;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next = children[node]?.[(nibble >>> bit) & 1 ? 1 : 0] ?? 0;
    if (next >= 0) {
      node = next;
    } else if (next === -1 - END_OF_STRING) {
      return FAILS;
    } else {
      emitted = EMITS | ((-1 - next) << 8);
      node = 0;
    }
  }
  return emitted | node;
}

let scratch = Buffer.alloc(1_024);

/**
 * Decodes the string in `bytes` from `start` to `end`.
 * @returns one character per octet; undefined for an invalid code
 */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  // The shortest code has five bits, so five octets decode to at most eight.
  const most = Math.ceil(((end - start) * 8) / 5);
  if (scratch.length < most) scratch = Buffer.alloc(most);
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const first = steps[state * NIBBLES + (byte >>> 4)] ?? FAILS;
    if (first === FAILS) return undefined;
    if ((first & EMITS) !== 0) scratch[length++] = (first >>> 8) & 0xff;
    const second = steps[(first & 0xff) * NIBBLES + (byte & 0xf)] ?? FAILS;
    if (second === FAILS) return undefined;
    if ((second & EMITS) !== 0) scratch[length++] = (second >>> 8) & 0xff;
    state = second & 0xff;
  }
  return mayEnd[state] === 1 ? scratch.toString('latin1', 0, length) : undefined;
}
