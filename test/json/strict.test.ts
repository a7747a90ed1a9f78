import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonFault, mayHoldFault } from '../../src/json/fault.ts';
import { parseJson, stringifyJson, UnusableJson } from '../../src/json/lossless.ts';
import { BadJson, parseSentJson } from '../../src/json/strict.ts';
import { runs } from '../support/runs.ts';

function refusalOf(text: string): unknown {
  try {
    return parseSentJson(text);
  } catch (error) {
    if (error instanceof BadJson) return `${error.message} @ ${error.line}:${error.column}`;
    if (error instanceof UnusableJson) return `${error.path} ${error.message}`;
    throw error;
  }
}

/** JSON text with all that its grammar allows: white space, escapes, keys that come twice. */
const jsonText = fc.letrec<{ value: string }>((tie) => {
  const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r');
  const spaced = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(space, inner, space).map((parts) => parts.join(''));
  const string = fc.constantFrom('"a"', '"\\u0061"', '"b"', '":"', '"a\\":"', '"é\\n"', '""', '"a : b"');
  const scalar = fc.oneof(
    string,
    fc.constantFrom('0', '-1', '1.50', '1e5', '12345678901234567890', '-1E-9', 'true', 'false', 'null'),
  );
  const member = fc.tuple(spaced(string), spaced(tie('value'))).map((parts) => parts.join(':'));
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      spaced(scalar),
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
      fc.array(member, { maxLength: 4 }).map((members) => `{${members.join()}}`),
      spaced(fc.constantFrom('[ ]', '{\n}')),
    ),
  };
}).value;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An oracle with another method: it parses each object of the text separately, from the inside out. */
function repeatsAKey(text: string): boolean {
  const strings: string[] = [];
  let rest = text.replace(
    /"(?:[^"\\]|\\.)*"/g,
    (string) => `#${strings.push(String(JSON.parse(string))) - 1}#`,
  );
  for (;;) {
    const innermost = /\{[^{}]*\}|\[[^[\]{}]*\]/.exec(rest);
    if (innermost === null) return false;
    const keys = [...innermost[0].matchAll(/#(\d+)#\s*:/g)].map(([, index]) => strings[Number(index)]);
    if (new Set(keys).size < keys.length) return true;
    rest = rest.replace(innermost[0], '0');
  }
}

test('a key that comes twice is found, and nothing else, in any JSON', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(findJsonFault(text)?.kind).toBe(repeatsAKey(text) ? 'repeated_key' : undefined);
      if (repeatsAKey(text)) expect(mayHoldFault(text, parseJson(text))).toBe(true);
    }),
    { numRuns: runs(400) },
  );
});

test('a syntax error is found exactly in text that is not JSON', () => {
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 2 }),
    insert: fc.constantFrom('', ...Array.from(',:"{}[]\\\n0-.eut ')),
  });
  fc.assert(
    fc.property(jsonText, fc.array(edit, { minLength: 1, maxLength: 3 }), (valid, edits) => {
      const text = edits.reduce((before, { at, remove, insert }) => {
        const from = at % (before.length + 1);
        return before.slice(0, from) + insert + before.slice(from + remove);
      }, valid);
      const kind = findJsonFault(text)?.kind;
      // A repeated key is reported before any fault after it.
      if (kind !== 'repeated_key') expect(kind === 'syntax').toBe(!isJson(text));
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([
  ['', 'is not valid JSON: a value was expected @ 1:1'],
  ['{"a": 1,}', 'is not valid JSON: a key in double quotes was expected @ 1:9'],
  ['{a: 1}', 'is not valid JSON: a key in double quotes or "}" was expected @ 1:2'],
  ['{"a" 1}', 'is not valid JSON: a colon was expected @ 1:6'],
  ['{"a": 1 "b": 2}', 'is not valid JSON: a comma or "}" was expected @ 1:9'],
  ['{\n  "a": [1, 2\n}', 'is not valid JSON: a comma or "]" was expected @ 3:1'],
  ['[1, 2,]', 'is not valid JSON: a value was expected @ 1:7'],
  ['["🙂", x]', 'is not valid JSON: a value was expected @ 1:7'],
  ["['a']", 'is not valid JSON: a value or "]" was expected @ 1:2'],
  ['{"a": "b', 'is not valid JSON: a closing quote was expected @ 1:9'],
  [
    '["a\nb"]',
    'is not valid JSON: a closing quote (in a string, a line break is written \\n, a tab \\t) was expected @ 1:4',
  ],
  ['["\\x"]', 'is not valid JSON: one of " \\ / b f n r t u after a backslash was expected @ 1:4'],
  ['["\\u12"]', 'is not valid JSON: four hexadecimal digits after \\u was expected @ 1:5'],
  ['[-]', 'is not valid JSON: a digit was expected @ 1:3'],
  ['[01]', 'is not valid JSON: a comma or "]" was expected @ 1:3'],
  ['{} {}', 'is not valid JSON: nothing more was expected @ 1:4'],
  ['{"to":"*","to":"x"}', 'has the key "to" twice in one object, the second time @ 1:11'],
  ['{"a":{"b":1,"b":1}}', 'has the key "b" twice in one object, the second time @ 1:13'],
  ['{"a" : 1,\r\n "\\u0061": 2}', 'has the key "a" twice in one object, the second time @ 2:2'],
  ['[1e309]', '[0] must be a number that a double can hold, at most 1.8e308'],
  ['-1e309', ' must be a number that a double can hold, at most 1.8e308'],
  [`{"a":{"b":[0,${'9'.repeat(310)}]}}`, 'a.b[1] must be a number that a double can hold, at most 1.8e308'],
])('the text %j is refused: %s', (text, refusal) => {
  expect(refusalOf(text)).toBe(refusal);
});

test.each([
  '{"a":{"a":{"a":[{"a":1},{"a":2}]}},"b":{"a":1}}',
  '{"constructor":1,"toString":2,"hasOwnProperty":3,"":4}',
  '[1.7976931348623157e308,1e-400,12345678901234567890]',
])('the text %s is accepted', (text) => {
  expect(stringifyJson(parseSentJson(text))).toBe(stringifyJson(parseJson(text)));
});

describe('a body of a mebibyte', () => {
  const members = Array.from({ length: 90_000 }, (_, index) => `"k${index}":1`).join();

  test.each([
    ['a key comes twice among 90,000', `{"k0" :1,${members}}`],
    ['the last of 90,000 keys is the first', `{${members},"k0":1}`],
    ['90,000 objects have one key each', `[${'{"a":1},'.repeat(90_000)}{"a":1,"a":1}]`],
    ['a text is all escapes', `["${'\\u0041'.repeat(170_000)}",{"a":1,"a":2}]`],
  ])(
    'a key that comes twice in a mebibyte is found in time that grows with the length: %s',
    (_what, text) => {
      const usedBefore = process.cpuUsage();
      expect(refusalOf(text)).toMatch(/twice in one object/);
      // Processor time, which other processes do not add to: some 60 ms, and minutes if it grew with the square.
      const { user } = process.cpuUsage(usedBefore);
      expect(user / 1_000).toBeLessThan(3_000);
    },
  );
});
