/**
 * Parses JSON from callers. `parseJson` is enough for stored JSON; this parser also refuses repeated keys and numbers that
 * are too large for a double, and reports the position of a fault.
 */
import { findJsonFault, mayHoldFault, positionIn } from './fault.ts';
import { parseJson, UnusableJson } from './lossless.ts';

const KEY_CHARACTERS_MAX = 60;

/** The text is not JSON, or is ambiguous. */
export class BadJson extends Error {
  override readonly name = 'BadJson';
  /** Line and column count from 1, the column in characters. */
  readonly line: number;
  readonly column: number;

  /** @param what the rest of a sentence about the text; the caller adds the position */
  constructor(what: string, position: { line: number; column: number }) {
    super(what);
    this.line = position.line;
    this.column = position.column;
  }
}

/**
 * @param text without deep nesting (`sizeFault`)
 * @throws {BadJson} if it is not JSON, or an object has a key twice, which parsers interpret differently
 * @throws {UnusableJson} see `parseJson`; also for a number that is too large for a double: Apple, Google and most JSON
 * parsers refuse a document that contains one
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
      throw new BadJson(`is not valid JSON: ${fault.expected} was expected`, positionIn(text, fault.at));
    case 'repeated_key': {
      const key = JSON.stringify(shortened(fault.key));
      throw new BadJson(
        `has the key ${key} twice in one object, the second time`,
        positionIn(text, fault.at),
      );
    }
    case 'huge_number':
      throw new UnusableJson(fault.path, 'must be a number that a double can hold, at most 1.8e308');
  }
}

function shortened(key: string): string {
  return key.length <= KEY_CHARACTERS_MAX ? key : `${key.slice(0, KEY_CHARACTERS_MAX).toWellFormed()}…`;
}
