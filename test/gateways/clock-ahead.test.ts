import { expect, test } from 'vitest';
import { clockAheadMs, clockSentence, surelyAheadMs } from '../../src/gateways/clock-ahead.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

test.each([
  ['Fri, 20 Nov 2026 10:00:00 GMT', 7_200_000],
  ['Fri, 20 Nov 2026 12:05:00 GMT', -300_000],
  ['Fri, 20 Nov 2026 11:59:30 GMT', null],
  ['soon', null],
  ['', null],
  [undefined, null],
])('our clock is ahead of a gateway with the date %s by %s ms', (date, aheadMs) => {
  expect(clockAheadMs(date, now)).toBe(aheadMs);
});

test.each([
  [60_000, '1 min ahead'],
  [-89 * 60_000, '89 min behind'],
  [7_200_000, '2 h ahead'],
  [-3 * 86_400_000, '3 days behind'],
])('a difference of %i ms is written as %s', (aheadMs, amount) => {
  expect(clockSentence(aheadMs)).toBe(`the clock is ${amount}`);
});

test.each([
  ['before the request', 4_000, 6_000],
  ['during the request', 14_000, 0],
  ['after the answer', 23_000, -3_000],
])('only a certain difference counts, where a clock showed a time %s', (_when, theirs, aheadMs) => {
  expect(surelyAheadMs({ asked: 10_000, answered: 20_000 }, theirs)).toBe(aheadMs);
});
