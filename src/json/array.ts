/** Splits the text of a JSON array into the texts of its elements, so that each can be parsed and refused alone. */
import { positionIn } from './fault.ts';
import { BadJson } from './strict.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const BLANK = /^[ \t\r\n]*$/;
/** Scanning this many characters takes a fraction of a millisecond. */
const CHARACTERS_PER_STEP = 64 * 1024;

export interface ArrayElement {
  /** Not parsed yet: it may be invalid JSON, or even empty. */
  text: string;
  /** The index of its first character in the text of the array. */
  at: number;
}

/**
 * Yields the elements in order, and also `undefined` after each 64 Ki characters, so that the caller can let other work run.
 * If every element is JSON, so is the array.
 * @throws {BadJson} if the text is not one array with its brackets and quotes closed; elements before the fault have
 *   been yielded
 */
export function* splitArray(text: string): Generator<ArrayElement | undefined, void> {
  const open = text.search(/[^ \t\r\n]/);
  if (text.charCodeAt(open) !== OPEN_LIST) throw missing(text, Math.max(open, 0), '"["');
  let start = open + 1;
  let stepEnds = CHARACTERS_PER_STEP;
  let depth = 0;
  let inString = false;

  for (let at = start; at < text.length; at++) {
    if (at >= stepEnds) {
      stepEnds = at + CHARACTERS_PER_STEP;
      yield undefined;
    }
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth++;
    } else if (depth > 0) {
      if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    } else if (code === COMMA) {
      yield { text: text.slice(start, at), at: start };
      start = at + 1;
    } else if (code === CLOSE_LIST) {
      const last = text.slice(start, at);
      const isEmptyArray = start === open + 1 && BLANK.test(last);
      if (!isEmptyArray) yield { text: last, at: start };
      const more = text.slice(at + 1).search(/[^ \t\r\n]/);
      if (more !== -1) throw missing(text, at + 1 + more, 'nothing more');
      return;
    }
  }
  throw missing(text, text.length, inString ? 'a closing quote' : 'a comma or "]"');
}

/** @returns the fault of an element with its position in the whole array */
export function inWhole(text: string, element: ArrayElement, { message, line, column }: BadJson): BadJson {
  const start = positionIn(text, element.at);
  return new BadJson(message, {
    line: start.line + line - 1,
    column: line === 1 ? start.column + column - 1 : column,
  });
}

function missing(text: string, at: number, expected: string): BadJson {
  return new BadJson(`is not valid JSON: ${expected} was expected`, positionIn(text, at));
}
