/** Splits a stream of bytes into lines (NDJSON), in constant memory. */

const NEWLINE = 0x0a;
const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;

/** Splitting off this many lines takes less than a millisecond. */
const LINES_PER_STEP = 1_000;

export interface Line {
  /** The line number from 1, as an editor shows it: empty lines count. */
  number: number;
  /** The line without its newline; undefined if it is longer than the limit. */
  bytes: Buffer | undefined;
}

/**
 * Yields up to 1,000 lines of a chunk at a time, and at least once per chunk, even if that is an empty list. The last
 * line may end without a newline. Blank lines are counted but left out, except for some that span two chunks.
 * @param bytesMax the longest line; the bytes of longer lines are dropped as they arrive
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Line[], void> {
  let number = 0;
  let pieces: Uint8Array[] = [];
  let bytes = 0;

  const extend = (piece: Uint8Array): void => {
    bytes += piece.length;
    if (bytes > bytesMax) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  /** @returns the start of the first line that is not blank or is incomplete */
  const skipBlankLines = (chunk: Uint8Array, start: number): number => {
    let from = start;
    for (let at = start; ; at++) {
      const byte = chunk[at];
      if (byte === NEWLINE) {
        number += 1;
        from = at + 1;
      } else if (byte !== RETURN && byte !== SPACE && byte !== TAB) {
        return from;
      }
    }
  };
  const end = (): Line => {
    const line = { number: ++number, bytes: bytes > bytesMax ? undefined : Buffer.concat(pieces, bytes) };
    pieces = [];
    bytes = 0;
    return line;
  };

  for await (const chunk of chunks) {
    let lines: Line[] = [];
    let from = 0;
    for (;;) {
      if (bytes === 0) from = skipBlankLines(chunk, from);
      const to = chunk.indexOf(NEWLINE, from);
      if (to === -1) break;
      extend(chunk.subarray(from, to));
      lines.push(end());
      from = to + 1;
      if (lines.length < LINES_PER_STEP) continue;
      yield lines;
      lines = [];
    }
    extend(chunk.subarray(from));
    yield lines;
  }
  if (bytes > 0) yield [end()];
}
