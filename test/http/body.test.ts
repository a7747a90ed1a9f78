import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBody } from '../../src/http/body.ts';
import { stringifyJson } from '../../src/json/lossless.ts';
import { readableJsonText } from '../support/json.ts';

const parse = (text: string): unknown => parseBody(Buffer.from(text));
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test('JSON is parsed and serialized without a change', () => {
  fc.assert(
    fc.property(readableJsonText({ maxDepth: 6, stringUnit: 'grapheme' }), (text) => {
      expect(stringifyJson(parse(text))).toBe(stringifyJson(JSON.parse(text)));
    }),
  );
});

test('numbers that a double cannot hold keep their digits', () => {
  const text = '{"a":9223372036854775807,"b":0.570000000000000001,"c":[-1e-400]}';
  expect(stringifyJson(parse(text))).toBe(text);
});

test('an empty body is undefined, but white space is invalid JSON', () => {
  expect(parseBody(new Uint8Array())).toBeUndefined();
  expect(() => parse(' ')).toThrow(expect.objectContaining({ code: 'invalid_json' }));
});

test.each([
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['half a character of UTF-8', Buffer.from([0x22, 0xc3, 0x22])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
])('%s is not JSON', (_what, bytes) => {
  expect(() => parseBody(bytes)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
});

test('a body may nest 100 levels deep and no deeper', () => {
  expect(stringifyJson(parse(nested(100)))).toBe(nested(100));
  for (const levels of [101, 5_000, 500_000]) {
    expect(() => parse(nested(levels))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  }
  expect(() => parse('{"a":'.repeat(200_000))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('brackets in strings do not count as levels', () => {
  const text = JSON.stringify({ a: `${'['.repeat(500)}"\\${'{'.repeat(500)}`, '{"[': '\\"[[' });
  expect(stringifyJson(parse(text))).toBe(text);
});
