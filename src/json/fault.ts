/**
 * Says what is wrong with JSON text, and where. `JSON.parse` tells of a fault in words that quote the text and
 * often name no place, takes the last of two equal keys without a word, and makes Infinity of `1e999`. So this
 * goes through the text once, in time that grows with its length alone. That takes as long as parsing it does, so
 * `mayHoldFault` says first, in a third of that, whether there is a reason to.
 */
import { memberPath } from './lossless.ts';

/** `at` is an index into the text. */
export type JsonFault =
  /** No JSON: `expected` says what should have come there, such as `a comma or "}"`. */
  | { kind: 'syntax'; at: number; expected: string }
  /** Two members of one object have the same name, after escapes: RFC 8259, section 4, leaves open what that means. */
  | { kind: 'repeated_key'; at: number; key: string }
  /** A number beyond all doubles; `path` is where, e.g. `notification.payload.a`. */
  | { kind: 'huge_number'; at: number; path: string };

/** What is open: the keys of an object so far, or how far a list has come. */
interface Level {
  close: typeof CLOSE_OBJECT | typeof CLOSE_LIST;
  keys: string[];
  /** The keys again, where there are many. */
  keySet: Set<string> | undefined;
  /** Of a list. */
  index: number;
}

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
/** Up to here a list is searched faster than a set is made. */
const FEW_KEYS = 16;

/**
 * The first fault of the text: of its grammar, or a repeated key; else the first number that is too large.
 * @param text which does not nest deep (`nestsTooDeep`)
 * @returns undefined where `JSON.parse` takes the text and loses nothing of it but digits
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let huge: JsonFault | undefined;
  let at = skipSpace(text, 0);
  /** Whether the list or object that was just opened may end here, before its first member. */
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

    // What was open ends as often as it does; then there is a comma, or the end of the text.
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

/** An escaped quote could stand before a colon within a text, and white space before one that is not. */
const HIDES_KEYS = /\\|[ \t\r\n]:/;

/**
 * Whether `findJsonFault` may find something in text that `parseJson` takes. A repeated key is in the text and not
 * in the value: it shows in the number of keys.
 * @param value what `parseJson` made of the text
 */
export function mayHoldFault(text: string, value: unknown): boolean {
  if (HIDES_KEYS.test(text)) return true;
  let keys = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) keys++;
  return countKeys(value) !== keys;
}

/** NaN where a number was kept raw: it may be beyond the doubles. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (JSON.isRawJSON(value)) return Number.NaN;
  const isList = Array.isArray(value);
  const members: readonly unknown[] = isList ? value : Object.values(value);
  let count = isList ? 0 : members.length;
  for (const member of members) if (typeof member === 'object') count += countKeys(member);
  return count;
}

/** A place in a text as people count: both from 1, columns in characters. */
export function placeIn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 };
}

function missing(at: number, expected: string): JsonFault {
  return { kind: 'syntax', at, expected };
}

/** @returns false where the object has the key already */
function addKey(level: Level, key: string): boolean {
  const { keys, keySet } = level;
  if (keySet === undefined ? keys.includes(key) : keySet.has(key)) return false;
  keys.push(key);
  if (keySet !== undefined) keySet.add(key);
  else if (keys.length > FEW_KEYS) level.keySet = new Set(keys);
  return true;
}

/** Where the text, number or word that begins here ends; undefined where none does. */
function endOfScalar(text: string, at: number, code: number): number | JsonFault | undefined {
  if (code === QUOTE) return endOfString(text, at);
  if (isNumber(code)) {
    NUMBER.lastIndex = at;
    return NUMBER.test(text) ? NUMBER.lastIndex : missing(at + 1, 'a digit');
  }
  const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, at));
  return word === undefined ? undefined : at + word.length;
}

/** @param at where its first quote is @returns the index after its last one */
function endOfString(text: string, at: number): number | JsonFault {
  for (let index = at + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    if (code < 0x20) {
      return missing(index, 'a closing quote (a line break in a text is written \\n, a tab \\t)');
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

/** The text between two quotes, its escapes read. */
function stringAt(text: string, at: number, end: number): string {
  const written = text.slice(at + 1, end - 1);
  return written.includes('\\') ? String(JSON.parse(text.slice(at, end))) : written;
}

function isNumber(code: number): boolean {
  return code === MINUS || (code >= ZERO && code <= NINE);
}

/** Whether it is a number of which a double makes Infinity; the shortest are of 5 characters, `1e309`. */
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
    // The end of the text is NaN, and no comparison holds.
    if (!(code <= 0x20) || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return at;
    at++;
  }
}
