import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson, UnusableJson } from '../../src/json/lossless.ts';

/** Decimal texts that `String` would write the same way, if a double could hold them. */
const digits = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String);
const fraction = fc.stringMatching(/^\d{0,24}[1-9]$/);
const decimal = fc.oneof(
  digits,
  fc.tuple(digits, fraction).map(([whole, rest]) => `${whole === '0' ? '1' : whole}.${rest}`),
);

test.each([
  ['alone', (number: string) => number],
  ['in a list', (number: string) => `[${number},${number}]`],
  ['in an object', (number: string) => `{"a":${number},"b":{"c":[${number}]}}`],
  ['next to text that looks like one', (number: string) => `{"1e9":"12345678901234567890","b":${number}}`],
])('a number %s keeps every digit', (_where, textOf) => {
  fc.assert(
    fc.property(decimal, (number) => {
      expect(stringifyJson(parseJson(textOf(number)))).toBe(textOf(number));
    }),
    { numRuns: 500 },
  );
});

test.each(['1e400', '-1e-400', '9007199254740993', '0.1000000000000000055', ' 1e400', '\n9007199254740993'])(
  'the number %j, which a double cannot hold, keeps every digit',
  (number) => {
    expect(stringifyJson(parseJson(number))).toBe(number.trim());
    expect(stringifyJson(parseJson(`{"a" :\t${number}}`))).toBe(`{"a":${number.trim()}}`);
  },
);

test('white space goes where it may, and numbers stay', () => {
  fc.assert(
    fc.property(decimal, fc.constantFrom(' ', '\t', '\r', '\n', ''), (number, space) => {
      const text = `${space}[${space}${number}${space},${space}${number}${space}]${space}`;
      expect(stringifyJson(parseJson(text))).toBe(`[${number},${number}]`);
    }),
  );
});

test.each([
  ['"\\u0000"', 'must not contain the character U+0000'],
  ['["\\ud800"]', 'must not contain half of a surrogate pair'],
  ['["\\uDFFF x"]', 'must not contain half of a surrogate pair'],
  ['["\ud800"]', 'must not contain half of a surrogate pair'],
  ['{"__proto__":1}', 'must not have a key named __proto__'],
  ['{"\\u005f_proto__":1}', 'must not have a key named __proto__'],
  ['{"__proto_\\u005F":1}', 'must not have a key named __proto__'],
])('the text %j is refused: %s', (text, message) => {
  expect(() => parseJson(text)).toThrow(UnusableJson);
  expect(() => parseJson(text)).toThrow(message);
});

test.each(['"\\ud83d\\ude42"', '"🙂"', '"__proto__"', '"\\\\u0000"', '{"\\u005f":"\\n"}'])(
  'the text %s is accepted',
  (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  },
);
