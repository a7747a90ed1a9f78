import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readObjects } from '../src/objects.ts';
import { chunksOf } from './exports.ts';

const PAGE_START = /^\{\s*"results"\s*:\s*$/;

/** The objects with the numbers of their lines; `-` where one cannot be read. */
async function objectsIn(text: string, chunkBytes = 64 * 1024, bytesMax = 1_000): Promise<string[]> {
  const found: string[] = [];
  for await (const page of readObjects(chunksOf(text, chunkBytes), { pageStart: PAGE_START, bytesMax })) {
    found.push(...page.map(({ line, bytes }) => `${line} ${bytes?.toString() ?? '-'}`));
  }
  return found;
}

const B = '{"b":2}';

test.each<[string, string, string[]]>([
  ['lines', '{"a":1}\n\n{"b":[{"c":2}]}\n', ['1 {"a":1}', '3 {"b":[{"c":2}]}']],
  ['an array', `[{"a":1},\n ${B}]`, ['1 {"a":1}', `2 ${B}`]],
  ['a page', `{"results":[{"a":1},${B}],"next":{"x":"}"}}`, ['1 {"a":1}', `1 ${B}`]],
  ['pages in a row', `{"results":[{"a":1}]}\n{"results":[]}{"results":[${B}]}`, ['1 {"a":1}', `2 ${B}`]],
  [
    'a page on many lines',
    '{\n  "results": [\n    {\n      "a": 1\n    }\n  ]\n}\n',
    ['3 {\n      "a": 1\n    }'],
  ],
  ['a list of that name inside an object', `{"a":1,"results":[${B}]}`, [`1 {"a":1,"results":[${B}]}`]],
  ['brackets and quotes in texts', String.raw`{"a":"}\"]{"}`, [String.raw`1 {"a":"}\"]{"}`]],
  ['a byte order mark', '\u{FEFF}{"a":1}', ['1 {"a":1}']],
  ['nothing', ' \n', []],
])('the reader finds the objects in %s', async (_what, text, expected) => {
  expect(await objectsIn(text)).toEqual(expected);
});

test.each<[string, string, string[]]>([
  ['is no object', `x,y\n${B}`, ['1 -', `2 ${B}`]],
  ['is cut off', `{"a":{"x":1\n${B}`, ['1 -', `2 ${B}`]],
  ['is cut off in a text', `{"a":"x\n${B}`, ['1 -', `2 ${B}`]],
  ['has a bracket too many', `{"a":1}}\n${B}`, ['1 {"a":1}', '1 -', `2 ${B}`]],
  ['is longer than the limit', `{"a":"${'x'.repeat(2_000)}"}\n${B}`, ['1 -', `2 ${B}`]],
  ['is the last and does not end', `${B}\n{"a":`, [`1 ${B}`, '2 -']],
])('the reader goes on after a line that %s', async (_what, text, expected) => {
  expect(await objectsIn(text)).toEqual(expected);
});

test('the reader finds the same objects wherever chunks end, on one line or on many', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 }),
      fc.constantFrom('lines', 'array', 'page'),
      fc.constantFrom(undefined, 2),
      fc.integer({ min: 1, max: 40 }),
      async (values, form, indent, chunkBytes) => {
        const text =
          form === 'lines'
            ? values.map((value) => JSON.stringify(value, undefined, indent)).join('\n')
            : JSON.stringify(form === 'page' ? { results: values } : values, undefined, indent);
        const found = await objectsIn(text, chunkBytes, 1_000_000);
        expect(found.map((object) => JSON.parse(object.slice(object.indexOf(' '))))).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
      },
    ),
  );
});
