/**
 * Checks that a JSON text is small enough to be parsed: the parser, and all code after it, takes time for each level
 * and each value.
 */

/** No real request nests this deep, and recursive functions can handle it. */
const LEVELS_MAX = 100;

/**
 * As many as 19 filters with 1,000 criteria each. A megabyte may have half a million values, and each blocks the event
 * loop: 3 µs for an integer that a double cannot hold, 5 µs for a criterion.
 */
export const VALUES_MAX = 20_000;

/** A device may have 1,000 names of events, and is sent back as it was read. Objects with many more keys take longest. */
const KEYS_MAX = 2_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Looks only at brackets, commas, colons and quotes, so the text need not be JSON. A value is a text, a number, a list,
 * an object and so on; an empty list or object counts twice.
 * @returns the rest of a sentence about the text; undefined if it is small enough
 */
export function sizeFault(text: string): string | undefined {
  // A key takes five characters with its value, and a value alone two.
  if (text.length < 5 * KEYS_MAX && !opensMoreThan(LEVELS_MAX, text)) return undefined;
  const keys: number[] = []; // by level
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === COMMA) {
      values++;
    } else if (code === COLON) {
      const count = (keys[depth] ?? 0) + 1;
      if (count > KEYS_MAX) return `must have at most ${KEYS_MAX} keys in one object`;
      keys[depth] = count;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++;
      values++;
      keys[depth] = 0;
      if (depth > LEVELS_MAX) return `must nest at most ${LEVELS_MAX} levels deep`;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth--;
    }
    if (values > VALUES_MAX) return `must have at most ${VALUES_MAX} values`;
  }
  return undefined;
}

/** Nearly every text has fewer brackets than `LEVELS_MAX`; counting them takes a tenth of the full scan. */
function opensMoreThan(brackets: number, text: string): boolean {
  let left = brackets;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left--;
      if (left < 0) return true;
    }
  }
  return false;
}
