import { expect, test } from 'vitest';
import { clockAheadMs, clockSentence } from '../../src/gateways/clock-ahead.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

test.each([
  ['Fri, 20 Nov 2026 10:00:00 GMT', 7_200_000],
  ['Fri, 20 Nov 2026 12:05:00 GMT', -300_000],
  ['Fri, 20 Nov 2026 11:59:30 GMT', null],
  ['soon', null],
  ['', null],
  [undefined, null],
])('where a gateway has %s, our clock is ahead by %s ms', (date, aheadMs) => {
  expect(clockAheadMs(date, now)).toBe(aheadMs);
});

test.each([
  [60_000, '1 min ahead'],
  [-89 * 60_000, '89 min behind'],
  [7_200_000, '2 h ahead'],
  [-3 * 86_400_000, '3 days behind'],
])('%i ms read as %s', (aheadMs, amount) => {
  expect(clockSentence(aheadMs)).toBe(`the clock of this machine is ${amount}`);
});
