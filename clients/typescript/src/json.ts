/** JSON in which whole numbers keep every digit: one that a number would round is a `bigint`. */

const MANY_DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;

export function parseJson(text: string) {
  return MANY_DIGITS.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return WHOLE.test(source) ? BigInt(source) : value;
}

export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? written(part) : part));
}

function written(whole: bigint): unknown {
  return 'rawJSON' in JSON && typeof JSON.rawJSON === 'function'
    ? JSON.rawJSON(String(whole))
    : Number(whole);
}
