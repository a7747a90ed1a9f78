/** Shortens texts without cutting an emoji or an accented letter in two. */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * @param end replaces what is cut off, if there is room for it
 * @returns a text of at most `charactersMax` characters (code points)
 */
export function shortened(text: string, charactersMax: number, end = '…'): string {
  // A character takes one or two UTF-16 units.
  if (text.length <= charactersMax) return text;
  const start = Array.from(text.slice(0, 2 * (charactersMax + 1)));
  if (start.length <= charactersMax && text.length <= 2 * (charactersMax + 1)) return text;
  const endLength = Array.from(end).length;
  const room = endLength > charactersMax ? charactersMax : charactersMax - endLength;
  let kept = '';
  let left = room;
  for (const { segment } of graphemes.segment(text.slice(0, 2 * (charactersMax + 1)))) {
    left -= Array.from(segment).length;
    if (left < 0) break;
    kept += segment;
  }
  return endLength > charactersMax ? kept : kept + end;
}
