import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalFilters, fingerprintOf } from '../../src/filters/canonical.ts';
import { parseJson, stringifyJson } from '../../src/json/lossless.ts';
import { filterLists } from '../targeting/arbitraries.ts';
import { parsed } from './parsed.ts';

function fingerprint(list: unknown): string {
  return fingerprintOf(stringifyJson(canonicalFilters(parsed(list)))).toString('hex');
}

/** The same list in another order, with some items twice. */
function shuffled(list: readonly unknown[], random: () => number): unknown[] {
  const twice = list.flatMap((item) => (random() < 0.3 ? [item, item] : [item]));
  return twice
    .map((item) => ({ item, order: random() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ item }) => item);
}

/** The same filter with shuffled criteria, reversed keys, and defaults written or left out. */
function shuffledFilter(filter: { name: string; criteria: readonly unknown[]; not_filter?: boolean }) {
  return (random: () => number): unknown => {
    const criteria = shuffled(filter.criteria, random).map((criterion) => withReversedKeys(criterion));
    const { name, not_filter } = filter;
    if (not_filter === true) return { criteria, not_filter, name };
    return random() < 0.5 ? { criteria, name } : { not_filter: false, criteria, name };
  };
}

function withReversedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value))
    return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]): [string, unknown] => [key, withReversedKeys(item)]),
  );
}

it('the canonical form does not depend on order, duplicates and defaults', () => {
  fc.assert(
    fc.property(
      filterLists,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (list, stream) => {
        const random = (): number => stream.next().value ?? 0;
        const other = shuffled(
          list.map((filter) => shuffledFilter(filter)(random)),
          random,
        );
        expect(fingerprint(other)).toBe(fingerprint(list));
      },
    ),
    { numRuns: 1_000 },
  );
});

it('the canonical form of a parsed canonical form is the same text', () => {
  fc.assert(
    fc.property(filterLists, (list) => {
      const text = stringifyJson(canonicalFilters(parsed(list)));
      expect(stringifyJson(canonicalFilters(parsed(parseJson(text))))).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['[{"name":"tags","criteria":["a","b"]}]', '[{"criteria":["b","a","a"],"name":"tags","not_filter":false}]'],
  ['[{"name":"badge","criteria":[1,10,0.5]}]', '[{"name":"badge","criteria":[1.0,1e1,50e-2,5E-1]}]'],
  ['[{"name":"badge","criteria":[0]}]', '[{"name":"badge","criteria":[-0.0]}]'],
  [
    '[{"name":"custom.integer.a","criteria":[9223372036854775807]}]',
    '[{"name":"custom.integer.a","criteria":[9223372036854775807.0]}]',
  ],
  [
    '[{"name":"custom.float.a","criteria":[0.1]}]',
    '[{"name":"custom.float.a","criteria":[0.10000000000000000555]}]',
  ],
  ['[{"name":"badge","criteria":[{"gt":1,"lt":2}]}]', '[{"name":"badge","criteria":[{"lt":2.0,"gt":1}]}]'],
  ['[{"name":"os_version","criteria":[{"gte":14}]}]', '[{"name":"os_version","criteria":[{"gte":14.0}]}]'],
  [
    '[{"name":"tags","criteria":["a"]},{"name":"badge","criteria":[1]}]',
    '[{"name":"badge","criteria":[1]},{"name":"tags","criteria":["a"]},{"name":"tags","criteria":["a","a"]}]',
  ],
  [
    '[{"name":"location","criteria":[{"point":{"latitude":1,"longitude":-0.0},"distance":1e3,"unit":"m"}]}]',
    '[{"name":"location","criteria":[{"unit":"m","distance":1000,"point":{"longitude":0,"latitude":1.0}}]}]',
  ],
])('the canonical form is equal for %s and %s', (left, right) => {
  expect(fingerprint(parseJson(left))).toBe(fingerprint(parseJson(right)));
});

it.each([
  ['[{"name":"tags","criteria":["a"]}]', '[{"name":"tags","criteria":["A"]}]'],
  ['[{"name":"tags","criteria":["a"]}]', '[{"name":"tags","criteria":["a"],"not_filter":true}]'],
  [
    '[{"name":"tags","criteria":["a","b"]}]',
    '[{"name":"tags","criteria":["a"]},{"name":"tags","criteria":["b"]}]',
  ],
  ['[{"name":"os_version","criteria":[14]}]', '[{"name":"os_version","criteria":["14"]}]'],
  [
    '[{"name":"custom.integer.a","criteria":[9007199254740993]}]',
    '[{"name":"custom.integer.a","criteria":[9007199254740992]}]',
  ],
  ['[{"name":"badge","criteria":[{"gt":1}]}]', '[{"name":"badge","criteria":[{"gte":1}]}]'],
  ['[{"name":"events.a","criteria":[true]}]', '[{"name":"events.a","criteria":[1]}]'],
])('the canonical form differs for %s and %s', (left, right) => {
  expect(fingerprint(parseJson(left))).not.toBe(fingerprint(parseJson(right)));
});

it('the canonical form keeps every digit of a number', () => {
  const list = parseJson('[{"name":"badge","criteria":[9223372036854775807,1E2,0.50]}]');
  expect(stringifyJson(canonicalFilters(parsed(list)))).toBe(
    '[{"name":"badge","criteria":[0.5,100,9223372036854775807],"not_filter":false}]',
  );
});
