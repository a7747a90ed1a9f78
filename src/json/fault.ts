/**
 * Finds the fault in JSON text and its position. `JSON.parse` quotes the text in its messages, and often gives no position.
 * It silently takes the last of two equal keys, and turns `1e999` into Infinity. This scan takes as long as parsing;
 * `mayHoldFault` takes a third of that, and returns whether the scan is needed.
 */
import { memberPath } from './lossless.ts';

/** `at` is an index into the text. */
export type JsonFault =
  /** Invalid JSON. `expected` says what should be at this position, such as `a comma or "}"`. */
  | { kind: 'syntax'; at: number; expected: string }
  /** Two members of one object have the same name after unescaping, which RFC 8259, section 4, leaves undefined. */
  | { kind: 'repeated_key'; at: number; key: string }
  /** A number too large for a double, at `path`, e.g. `notification.payload.a`. */
  | { kind: 'huge_number'; at: number; path: string };

/** An open object with its keys so far, or an open list with its current index. */
interface Level {
  close: typeof CLOSE_OBJECT | typeof CLOSE_LIST;
  keys: string[];
  keySet: Set<string> | undefined;
  index: number;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEX = /[0-9a-fA-F]{4}/y;
const ESCAPES = '"\\/bfnrt';
/** Up to this number of keys, searching a list is faster than creating a set. */
const FEW_KEYS = 16;

/**
 * Finds the first syntax error or repeated key of the text; if there is none, the first number that is too large.
 * @param text without deep nesting (`sizeFault`)
 * @returns undefined if `JSON.parse` accepts the text and loses nothing but digits
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let huge: JsonFault | undefined;
  let at = skipSpace(text, 0);
  /** Whether a list or object was just opened and may end here, without a member. */
  let isFirst = false;

  for (;;) {
    let code = text.charCodeAt(at);
    const isEmpty = isFirst && code === level?.close;
    if (level?.close === CLOSE_OBJECT && !isEmpty) {
      if (code !== QUOTE) return missing(at, `a key in double quotes${isFirst ? ' or "}"' : ''}`);
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      const key = stringAt(text, at, end);
      if (!addKey(level, key)) return { kind: 'repeated_key', at, key };
      at = skipSpace(text, end);
      if (text.charCodeAt(at) !== COLON) return missing(at, 'a colon');
      at = skipSpace(text, at + 1);
      code = text.charCodeAt(at);
      isFirst = false;
    }

    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const close = code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST;
      level = { close, keys: [], keySet: undefined, index: 0 };
      levels.push(level);
      at = skipSpace(text, at + 1);
      isFirst = true;
      continue;
    }
    if (!isEmpty) {
      const end = endOfScalar(text, at, code);
      if (end === undefined) return missing(at, `a value${isFirst ? ' or "]"' : ''}`);
      if (typeof end !== 'number') return end;
      if (huge === undefined && isNumber(code) && isHuge(text, at, end)) {
        huge = { kind: 'huge_number', at, path: pathOf(levels) };
      }
      at = skipSpace(text, end);
    }
    isFirst = false;

    // Closes all levels that end here; then a comma or the end of the text must follow.
    while (level !== undefined && text.charCodeAt(at) === level.close) {
      levels.pop();
      level = levels.at(-1);
      at = skipSpace(text, at + 1);
    }
    if (level === undefined) return at === text.length ? huge : missing(at, 'nothing more');
    if (text.charCodeAt(at) !== COMMA) return missing(at, `a comma or "${String.fromCharCode(level.close)}"`);
    level.index++;
    at = skipSpace(text, at + 1);
  }
}

/** A colon after an escaped quote may be inside a string; a colon after white space may follow a key. */
const HIDES_KEYS = /\\|[ \t\r\n]:/;

/**
 * Whether `findJsonFault` may find a fault in text that `parseJson` accepts. A repeated key is twice in the text and
 * once in the value, so their numbers of keys differ.
 */
export function mayHoldFault(text: string, value: unknown): boolean {
  if (HIDES_KEYS.test(text)) return true;
  let keys = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) keys++;
  return countKeys(value) !== keys;
}

/** @returns NaN if a number was kept raw, because it may be too large for a double */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (JSON.isRawJSON(value)) return Number.NaN;
  const isList = Array.isArray(value);
  const members: readonly unknown[] = isList ? value : Object.values(value);
  let count = isList ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += countKeys(member);
  return count;
}

/** @returns the line and the column (in characters) of an index, both from 1 */
export function positionIn(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let column = 1;
  for (let index = 0; index < at; index++) {
    const code = text.charCodeAt(index);
    if (code === NEWLINE) {
      line++;
      column = 1;
    } else if (!isLowSurrogate(code)) {
      column++; // a character of two units counts by the first
    }
  }
  return { line, column };
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function missing(at: number, expected: string): JsonFault {
  return { kind: 'syntax', at, expected };
}

/** @returns false if the object already has the key */
function addKey(level: Level, key: string): boolean {
  const { keys, keySet } = level;
  if (keySet === undefined ? keys.includes(key) : keySet.has(key)) return false;
  keys.push(key);
  if (keySet !== undefined) keySet.add(key);
  else if (keys.length > FEW_KEYS) level.keySet = new Set(keys);
  return true;
}

/** @returns the index after the string, number or literal at this index; undefined if there is none */
function endOfScalar(text: string, at: number, code: number): number | JsonFault | undefined {
  if (code === QUOTE) return endOfString(text, at);
  if (isNumber(code)) {
    NUMBER.lastIndex = at;
    return NUMBER.test(text) ? NUMBER.lastIndex : missing(at + 1, 'a digit');
  }
  const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, at));
  return word === undefined ? undefined : at + word.length;
}

/** @param at index of the opening quote @returns the index after the closing quote */
function endOfString(text: string, at: number): number | JsonFault {
  for (let index = at + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    if (code < 0x20) {
      return missing(index, 'a closing quote (in a string, a line break is written \\n, a tab \\t)');
    }
    if (code !== BACKSLASH) continue;
    index++;
    const escape = text[index] ?? '';
    if (escape === 'u') {
      HEX.lastIndex = index + 1;
      if (!HEX.test(text)) return missing(index + 1, 'four hexadecimal digits after \\u');
      index += 4;
    } else if (escape === '' || !ESCAPES.includes(escape)) {
      return missing(index, 'one of " \\ / b f n r t u after a backslash');
    }
  }
  return missing(text.length, 'a closing quote');
}

function stringAt(text: string, at: number, end: number): string {
  const written = text.slice(at + 1, end - 1);
  return written.includes('\\') ? String(JSON.parse(text.slice(at, end))) : written;
}

function isNumber(code: number): boolean {
  return code === MINUS || (code >= ZERO && code <= NINE);
}

/** Whether a number becomes Infinity as a double. The shortest such numbers have 5 characters: `1e309`. */
function isHuge(text: string, at: number, end: number): boolean {
  return end - at >= 5 && !Number.isFinite(Number(text.slice(at, end)));
}

function pathOf(levels: readonly Level[]): string {
  return levels.reduce(
    (path, { close, keys, index }) => memberPath(path, close === CLOSE_LIST ? index : (keys.at(-1) ?? '')),
    '',
  );
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    // At the end of the text the code is NaN, and every comparison is false.
    if (!(code <= 0x20) || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return at;
    at++;
  }
}
