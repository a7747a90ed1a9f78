import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/gateways/retry-after.ts';

const now = new Date('2026-11-21T10:00:00Z');
const hourMs = 60 * 60 * 1000;
const zone = process.env['TZ'];

/** Dates without a zone would be read in it. */
beforeEach(() => {
  process.env['TZ'] = 'America/New_York';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test.each<[string, number | null]>([
  ['30', 30_000],
  [' 60 ', 60_000],
  ['\t7', 7_000],
  ['0', 0],
  ['00', 0],
  ['0.5', 500],
  ['120.5', 120_500],
  ['3.', 3_000],
  ['60s', 60_000],
  ['60 s', 60_000],
  ['99999999999', hourMs],
  ['9'.repeat(400), hourMs],
  ['3600', hourMs],
  ['10, 20', 20_000],
  ['20,10', 20_000],
  ['10, soon', null],
  ['-1', null],
  ['+5', null],
  ['1e3', null],
  ['0x10', null],
  ['60ms', null],
  ['1m', null],
  ['.5', null],
  ['', null],
  ['   ', null],
  [',', null],
  ['soon', null],
  ['Infinity', null],
  ['NaN', null],
  ['1 2', null],
  ['2026-11-21', null],
  // HTTP dates
  ['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
  ['sat, 21 nov 2026 10:02:00 gmt', 120_000],
  ['Saturday, 21-Nov-26 10:02:00 GMT', 120_000],
  ['Sat Nov 21 10:02:00 2026', 120_000],
  ['Sat Nov  7 10:02:00 2026', 0],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['Sat, 21 Nov 2027 10:02:00 GMT', hourMs],
  ['Sat, 21 Nov 2026 12:02:00 +0200', 120_000],
  ['Sat, 21 Nov 2026 05:02:00 EST', 120_000],
  ['Sat, 21 Nov 2026 12:02:00 CEST', null],
  ['Sat, 21 Nov 2026 25:02:00 GMT', null],
  ['Saturday at 10:02:00', null],
])('the header %j means a wait of %j ms', (value, ms) => {
  expect(retryAfterMs({ 'retry-after': value }, now)).toBe(ms);
});

test('no wait is read without the header', () => {
  expect(retryAfterMs({ date: 'Sat, 21 Nov 2026 10:02:00 GMT' }, now)).toBeNull();
});

test('any header is read as no wait or as a wait of at most an hour', () => {
  const part = fc.constantFrom('Sat, ', '21 Nov 2026 ', '10:02:00', ' GMT', '.', ',', '-', '1e9', ' ');
  const value = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(part, fc.nat().map(String))).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(value, (text) => {
      const ms = retryAfterMs({ 'retry-after': text }, now);
      expect(ms === null || (ms >= 0 && ms <= hourMs)).toBe(true);
    }),
  );
});
