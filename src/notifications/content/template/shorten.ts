/** Shortens texts without cutting an emoji, an accented letter or a character of an address (`%C3%BC`) in two. */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * @param charactersMax a whole number, from 0
 * @param end replaces what is cut off, if there is room for it
 * @returns a text of at most `charactersMax` characters (code points)
 */
export function shortened(text: string, charactersMax: number, end = '…'): string {
  // A character takes one or two UTF-16 units.
  if (text.length <= charactersMax || unitsOf(text, charactersMax) === text.length) return text;
  const endLength = Array.from(end).length;
  const hasRoom = endLength <= charactersMax;
  const cut = unitsOf(text, hasRoom ? charactersMax - endLength : charactersMax);
  const whole = graphemes.segment(text).containing(cut)?.index ?? cut;
  const kept = text.slice(0, outsideEncoded(text, whole));
  return hasRoom ? kept + end : kept;
}

/** @returns the UTF-16 units of the first characters of a text */
export function unitsOf(text: string, characters: number): number {
  let units = 0;
  for (let left = characters; left > 0 && units < text.length; left--) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** @returns the beginning of a text, at most this many UTF-16 units, with whole characters */
export function beginningOf(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const isInPair = (text.codePointAt(unitsMax - 1) ?? 0) > 0xffff;
  return text.slice(0, outsideEncoded(text, isInPair ? unitsMax - 1 : unitsMax));
}

/** A character in UTF-8 with percent signs (RFC 3986, 2.1; RFC 3629, 3). */
const ENCODED =
  /%[0-7][\dA-F]|%[CD][\dA-F]%[89AB][\dA-F]|%E[\dA-F](?:%[89AB][\dA-F]){2}|%F[0-7](?:%[89AB][\dA-F]){3}/gi;
const ENCODED_UNITS_MAX = 12;

/** @returns the index, or the index where an encoded character begins that it would cut in two */
export function outsideEncoded(text: string, index: number): number {
  const from = Math.max(0, index - ENCODED_UNITS_MAX + 1);
  const near = text.slice(from, index + ENCODED_UNITS_MAX - 1);
  if (!near.includes('%')) return index;
  for (const match of near.matchAll(ENCODED)) {
    const begin = from + match.index;
    if (begin < index && index < begin + match[0].length) return begin;
  }
  return index;
}
