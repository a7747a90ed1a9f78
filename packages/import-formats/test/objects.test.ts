import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readObjects } from '../src/objects.ts';
import { chunksOf } from './exports.ts';

const PAGE_START = /^\{\s*"results"\s*:\s*$/;

async function objectsIn(
  text: string,
  chunkBytes = 64 * 1024,
  bytesMax = 1_000,
): Promise<[number, string | undefined][]> {
  const found: [number, string | undefined][] = [];
  for await (const page of readObjects(chunksOf(text, chunkBytes), { pageStart: PAGE_START, bytesMax })) {
    found.push(...page.map(({ line, bytes }): [number, string | undefined] => [line, bytes?.toString()]));
  }
  return found;
}

test.each([
  [
    'lines',
    '{"a":1}\n\n{"b":[{"c":2}]}\n',
    [
      [1, '{"a":1}'],
      [3, '{"b":[{"c":2}]}'],
    ],
  ],
  [
    'an array',
    '[{"a":1},\n {"b":2}]',
    [
      [1, '{"a":1}'],
      [2, '{"b":2}'],
    ],
  ],
  [
    'a page',
    '{"results":[{"a":1},{"b":2}],"next":{"x":"}"}}',
    [
      [1, '{"a":1}'],
      [1, '{"b":2}'],
    ],
  ],
  [
    'pages in a row',
    '{"results":[{"a":1}]}\n{"results":[]}{"results":[{"b":2}]}',
    [
      [1, '{"a":1}'],
      [2, '{"b":2}'],
    ],
  ],
  [
    'a page on many lines',
    '{\n  "results": [\n    {\n      "a": 1\n    }\n  ]\n}\n',
    [[3, '{\n      "a": 1\n    }']],
  ],
  [
    'a list of that name inside an object',
    '{"a":1,"results":[{"b":2}]}',
    [[1, '{"a":1,"results":[{"b":2}]}']],
  ],
  ['brackets and quotes in texts', String.raw`{"a":"}\"]{"}`, [[1, String.raw`{"a":"}\"]{"}`]]],
  ['a byte order mark', '\u{FEFF}{"a":1}', [[1, '{"a":1}']]],
  ['nothing', ' \n', []],
])('the reader finds the objects in %s', async (_what, text, expected) => {
  expect(await objectsIn(text)).toEqual(expected);
});

test.each([
  [
    'is no object',
    'x,y\n{"b":2}',
    [
      [1, undefined],
      [2, '{"b":2}'],
    ],
  ],
  [
    'is cut off',
    '{"a":{"x":1\n{"b":2}',
    [
      [1, undefined],
      [2, '{"b":2}'],
    ],
  ],
  [
    'is cut off in a text',
    '{"a":"x\n{"b":2}',
    [
      [1, undefined],
      [2, '{"b":2}'],
    ],
  ],
  [
    'has a bracket too many',
    '{"a":1}}\n{"b":2}',
    [
      [1, '{"a":1}'],
      [1, undefined],
      [2, '{"b":2}'],
    ],
  ],
  [
    'is longer than the limit',
    `{"a":"${'x'.repeat(2_000)}"}\n{"b":2}`,
    [
      [1, undefined],
      [2, '{"b":2}'],
    ],
  ],
  [
    'is the last and does not end',
    '{"b":2}\n{"a":',
    [
      [1, '{"b":2}'],
      [2, undefined],
    ],
  ],
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
        expect(found.map(([, object]) => JSON.parse(object ?? ''))).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
      },
    ),
  );
});
