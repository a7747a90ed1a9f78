/**
 * Parses JSON as a caller sent it. `parseJson` is enough for what is stored; here it is also told where text is
 * no JSON, that an object has a key twice, and that no double holds a number.
 */
import { findJsonFault, mayHoldFault, placeIn } from './fault.ts';
import { parseJson, UnusableJson } from './lossless.ts';

const KEY_CHARACTERS_MAX = 60;

/** Text that is no JSON, or of which nobody can say what it means. */
export class BadJson extends Error {
  override readonly name = 'BadJson';
  /** Both from 1; the column in characters. */
  readonly line: number;
  readonly column: number;

  /** @param what the end of a sentence about the text, to which a place is added, such as `has … twice, again` */
  constructor(what: string, place: { line: number; column: number }) {
    super(what);
    this.line = place.line;
    this.column = place.column;
  }
}

/**
 * @param text which does not nest deep (`nestsTooDeep`)
 * @throws {BadJson} where it is not JSON, or an object has a key twice: which of the two counts is anybody's guess
 * @throws {UnusableJson} see `parseJson`; and for a number of which a double makes Infinity: Apple, Google and most
 * readers of JSON refuse all that it stands in
 */
export function parseSentJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) refuseFault(text);
    throw error;
  }
  if (mayHoldFault(text, value)) refuseFault(text);
  return value;
}

function refuseFault(text: string): void {
  const fault = findJsonFault(text);
  switch (fault?.kind) {
    case undefined:
      return;
    case 'syntax':
      throw new BadJson(`is not valid JSON: ${fault.expected} was expected`, placeIn(text, fault.at));
    case 'repeated_key': {
      const key = JSON.stringify(shortened(fault.key));
      throw new BadJson(`has the key ${key} twice in one object, the second time`, placeIn(text, fault.at));
    }
    case 'huge_number':
      throw new UnusableJson(fault.path, 'must be a number that a double can hold, at most 1.8e308');
  }
}

function shortened(key: string): string {
  return key.length <= KEY_CHARACTERS_MAX ? key : `${key.slice(0, KEY_CHARACTERS_MAX).toWellFormed()}…`;
}
