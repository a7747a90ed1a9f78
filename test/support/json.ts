/** JSON for property tests. */
import * as fc from 'fast-check';

/**
 * The one key that JSON allows and the server refuses wherever it reads JSON (`parseJson`): no call sees it. fast-check draws it
 * once in thousands of values.
 */
const REFUSED = '__proto__';

/** Any JSON value that the server reads: no object in it, at any depth, has a key `__proto__`. */
export function readableJson(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<unknown> {
  return fc.jsonValue(constraints).map(withoutRefused);
}

/** The text of such a value. */
export function readableJsonText(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<string> {
  return readableJson(constraints).map((value) => JSON.stringify(value));
}

function withoutRefused(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRefused);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).filter(([key]) => key !== REFUSED);
  return Object.fromEntries(pairs.map(([key, item]) => [key, withoutRefused(item)]));
}
