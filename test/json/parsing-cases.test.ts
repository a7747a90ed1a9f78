/**
 * The cases of JSONTestSuite (https://github.com/nst/JSONTestSuite, test_parsing, MIT) on whose answer RFC 8259 leaves no choice, as
 * bodies of a request. A line of parsing-cases.txt has `y` for JSON or `n`, and the bytes; those that cannot be seen are `%XX`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseBody } from '../../src/http/body.ts';

const cases = readFileSync(path.join(import.meta.dirname, 'parsing-cases.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => ({ isJson: line.startsWith('y '), text: line.slice(2) }));

/** JSON that no call takes: a key that comes twice, and U+0000, which Postgres cannot store. */
const REFUSED = new Set(['{"a":"b","a":"c"}', '{"a":"b","a":"b"}', '{"foo\\u0000bar":%2042}', '["\\u0000"]']);

function refusalOf(bytes: Buffer): unknown {
  try {
    parseBody(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('bodies are parsed as RFC 8259 has it, but for four texts that are refused', () => {
  const wrong = cases.filter(({ text, isJson }) => {
    const bytes = Buffer.from(
      text.replaceAll(/%(..)/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
      'latin1',
    );
    return (refusalOf(bytes) === undefined) !== (isJson && !REFUSED.has(text));
  });
  expect(wrong).toEqual([]);
  expect([cases.filter(({ isJson }) => isJson).length, cases.length]).toEqual([94, 278]);
});

test.each([
  ['[', 100_000],
  ['[{"":', 50_000],
])('%j, %i times, is refused', (opening, times) => {
  expect(refusalOf(Buffer.from(opening.repeat(times)))).toBeInstanceOf(Error);
});
