import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/gateways/retry-after.ts';

const now = new Date('2026-11-21T10:00:00Z');
const dayMs = 24 * 60 * 60 * 1000;

test.each([
  ['seconds', { 'retry-after': '30' }, 30_000],
  ['no time at all', { 'retry-after': '0' }, 0],
  ['an HTTP date', { 'retry-after': 'Sat, 21 Nov 2026 10:02:00 GMT' }, 120_000],
  ['a date that is over', { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
  ['more than a day', { 'retry-after': '9'.repeat(400) }, dayMs],
  ['words', { 'retry-after': 'soon' }, null],
  ['nothing', { 'retry-after': '' }, null],
  ['another header', { date: 'Sat, 21 Nov 2026 10:02:00 GMT' }, null],
])('reads %s', (_name, headers, ms) => {
  expect(retryAfterMs(headers, now)).toBe(ms);
});

test('is null or a wait of at most a day, whatever the header says', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const ms = retryAfterMs({ 'retry-after': value }, now);
      expect(ms === null || (ms >= 0 && ms <= dayMs)).toBe(true);
    }),
  );
});
