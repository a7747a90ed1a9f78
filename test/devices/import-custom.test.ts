import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { customChange } from '../../src/devices/custom-attributes.ts';
import { isAsStored } from '../../src/devices/import-custom.ts';
import { parseJson } from '../../src/json.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.integer({ min: 250, max: 260 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 120, max: 130 }).map((length) => '🙂'.repeat(length)),
);
const date = fc.oneof(
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
  fc.constantFrom(
    '2026-02-29T00:00:00.000Z',
    '2026-02-30T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-01-32T00:00:00.000Z',
    '2026-01-01',
    '2026-01-01T00:00:00Z',
    '0000-01-01T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
  ),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map((exact) => JSON.rawJSON(String(exact))),
  fc.constant(JSON.rawJSON('1e999')),
);
const scalar = fc.oneof(text, date, number, fc.boolean(), fc.constant(null));
const attribute = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('string', 'integer', 'float', 'date', 'boolean', 'String'),
      value: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.array(text, { maxLength: 101 })),
      other: scalar,
    },
    { requiredKeys: ['type', 'value'] },
  ),
  scalar,
);
const custom = fc.oneof(fc.dictionary(text, attribute, { maxKeys: 3 }), scalar);

test('what is told at a glance is valid, and is stored as it is', () => {
  fc.assert(
    fc.property(custom, (said) => {
      const sent = parseJson(JSON.stringify(said));
      if (!isAsStored(sent)) return;
      expect(JSON.stringify(customChange.parse(sent))).toBe(JSON.stringify(sent));
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['text', { type: 'string', value: 'x' }],
  ['texts', { type: 'string', value: ['x', ''] }],
  ['a whole number', { type: 'integer', value: -7 }],
  ['a number', { type: 'float', value: 1.5 }],
  ['a date', { type: 'date', value: '2026-11-21T12:00:00.000Z' }],
  ['the end of a month', { type: 'date', value: '0001-12-31T23:59:59.999Z' }],
  ['the end of a short month', { type: 'date', value: '2026-04-30T00:00:00.000Z' }],
  ['a yes', { type: 'boolean', value: true }],
])('%s is told at a glance', (_what, said) => {
  expect(isAsStored({ said })).toBe(true);
});

test.each([
  [50, true],
  [51, false],
])('of %i attributes: %s', (count, told) => {
  const attributes = Array.from({ length: count }, (_, index) => [`a${index}`, { type: 'float', value: 1 }]);
  expect(isAsStored(Object.fromEntries(attributes))).toBe(told);
});
