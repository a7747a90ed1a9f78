/**
 * JSON without loss. A number that a double cannot hold (an int64, `0.570000000000000001`) is kept as raw JSON, so that
 * it is stored, returned and pushed as submitted. Everything else is plain `JSON`.
 */

declare global {
  /** ECMAScript's "JSON.parse source text access": in Node since 22, not yet in TypeScript's library. */
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * A number with at least 16 digits or an exponent of three: only these can lose digits as a double. The pattern includes the
 * character before the number, because parts of a push token in hex look like exponents (and exact parsing costs 10 µs
 * per device).
 */
const MAY_LOSE = /[ \t\r\n:,[]-?(?:\d[\d.]{15,}(?:[eE][-+]?\d+)?|[\d.]+[eE][-+]?\d{3,})/g;
/** A double below 1e21 is written without an exponent, so such a number is kept only if it is written the same. */
const PLAIN_INTEGER = /^-?[1-9]\d{0,19}$/;
/** The whole text is a number, without a character before it. */
const IS_NUMBER = /^-?\d/;
/** Escapes of NUL, of half a surrogate pair (Postgres cannot store either as text), and of the underscore in `__proto__`. */
const MAY_BE_UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F]|005)/;

/** The text is JSON, but the value at `path`, e.g. `notification.payload.a`, cannot be used. */
export class UnusableJson extends Error {
  override readonly name = 'UnusableJson';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Parses JSON text.
 * @throws {SyntaxError} if it is not JSON
 * @throws {UnusableJson} if a string contains a NUL or half a surrogate pair, or a key is `__proto__`
 */
export function parseJson(text: string): unknown {
  const value: unknown = losesANumber(text) ? JSON.parse(text, keepExactNumber) : JSON.parse(text);
  if (mayBeUnstorable(text)) refuseUnstorable(value, '');
  return value;
}

export function stringifyJson(value: unknown): string {
  return JSON.stringify(value);
}

/** Returns the same text for JSON that differs only in the order of its keys. */
export function canonicalText(json: unknown): string {
  return JSON.stringify(json, (_key, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))),
  );
}

/** @returns the decimal text of a JSON number, plain or kept raw; undefined for other values */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

function keepExactNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const { source } = context;
  const kept = String(value);
  if (kept === source) return value;
  return !PLAIN_INTEGER.test(source) && sameDecimal(kept, source) ? value : JSON.rawJSON(source);
}

/** Whether any number loses digits as a double. Long numbers that do not (coordinates) need no slow reviver. */
function losesANumber(text: string): boolean {
  if (IS_NUMBER.test(text)) return true;
  for (const [match] of text.matchAll(MAY_LOSE)) {
    const number = match.slice(1); // without the character before it
    const kept = String(Number(number));
    if (kept !== number && !sameDecimal(kept, number)) return true;
  }
  return false;
}

function sameDecimal(left: string, right: string): boolean {
  const a = digitsAndExponent(left);
  const b = digitsAndExponent(right);
  return a !== undefined && b !== undefined && a.digits === b.digits && a.exponent === b.exponent;
}

/** @returns the significant digits with the sign, and the power of ten of the last digit; undefined if not a decimal */
export function digitsAndExponent(text: string): { digits: string; exponent: number } | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return undefined; // Infinity: a literal too large for a double
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return { digits: '0', exponent: 0 };
  return {
    digits: sign + digits,
    exponent: Number(power) - fraction.length + (significant.length - digits.length),
  };
}

/** Checks for a backslash first, which is fast: most texts have no escape. */
function mayBeUnstorable(text: string): boolean {
  if (text.includes('\\') && MAY_BE_UNSTORABLE.test(text)) return true;
  return text.includes('__proto__') || !text.isWellFormed();
}

function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    refuseUnstorableText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, memberPath(path, index));
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorableText(key, path);
    if (key === '__proto__') throw new UnusableJson(path, 'must not have a key named __proto__');
    refuseUnstorable(item, memberPath(path, key));
  }
}

function refuseUnstorableText(text: string, path: string): void {
  const fault = unstorableText(text);
  if (fault !== undefined) throw new UnusableJson(path, fault);
}

/** The path of a member of the value at `path`: `device.tags[0]`, `device.custom[""]`. */
export function memberPath(path: string, member: PropertyKey): string {
  if (typeof member === 'number') return `${path}[${member}]`;
  if (member === '') return `${path}[""]`;
  return path === '' ? String(member) : `${path}.${String(member)}`;
}

/** @returns why a text (from JSON or elsewhere) cannot be stored, as the end of a sentence about it; undefined if it can */
export function unstorableText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  return undefined;
}
