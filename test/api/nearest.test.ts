import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestOf } from '../../src/api/nearest.ts';

const KNOWN = ['locale', 'time_zone', 'os_name', 'os_version', 'user_email', 'tags', 'per', 'page'];

test.each([
  ['locale', 'locale'],
  ['Locale', 'locale'],
  ['tag', 'tags'],
  ['timezone', 'time_zone'],
  ['osVersion', 'os_version'],
  ['loclae', 'locale'],
  ['pgae', 'page'],
  ['preference', undefined],
  ['platform', undefined],
  ['x', undefined],
  ['', undefined],
  [`locale${'e'.repeat(40)}`, undefined],
])('the nearest name of %j is %j', (name, nearest) => {
  expect(nearestOf(name, KNOWN)).toBe(nearest);
});

test('a name is found with one character too many, too few, wrong or swapped', () => {
  const slip = fc.record({
    name: fc.constantFrom('time_zone', 'os_version', 'user_email'),
    at: fc.nat({ max: 7 }),
    kind: fc.constantFrom('add', 'remove', 'replace', 'swap'),
  });
  fc.assert(
    fc.property(slip, ({ name, at, kind }) => {
      const [before, one = '', two = '', after] = [
        name.slice(0, at),
        name[at],
        name[at + 1],
        name.slice(at + 2),
      ];
      const middle = { add: `${one}x${two}`, remove: two, replace: `x${two}`, swap: two + one }[kind];
      expect(nearestOf(before + middle + after, KNOWN)).toBe(name);
    }),
  );
});
