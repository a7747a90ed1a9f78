import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  formatAgo,
  formatDuration,
  formatNumber,
  formatComparedShare,
  formatShare,
  formatShort,
  formatTime,
  plural,
  zoneName,
} from '../src/kit/format.ts';

describe('numbers', () => {
  test.each([
    [formatNumber(1_234_567), '1,234,567'],
    [formatShort(1_234_567), '1.2M'],
    [plural(1, 'device'), '1 device'],
    [plural(1_200, 'device'), '1,200 devices'],
    [plural(2, 'entry', 'entries'), '2 entries'],
  ])('a number is written as %s', (written, expected) => {
    expect(written).toBe(expected);
  });

  test.each([
    [0, 0, '–'],
    [0, 10, '0%'],
    [1, 8, '12.5%'],
    [10, 10, '100%'],
    [1, 1_000_000, '<0.1%'],
    [999_999, 1_000_000, '>99.9%'],
  ])('the share %d of %d is %s', (part, whole, expected) => {
    expect(formatShare(part, whole)).toBe(expected);
  });

  test.each([
    [0, '0%'],
    [0.0001, '<0.1%'],
    [0.86, '86.0%'],
    [0.948, '94.8%'],
    [1, '100%'],
  ])('the share %d has a decimal next to others: %s', (share, expected) => {
    expect(formatComparedShare(share)).toBe(expected);
  });

  test.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [7_199, '1 h 59 min'],
    [259_200, '3 days'],
  ])('%d seconds are written as %s', (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });
});

describe('times', () => {
  const before = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Paris';
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  const now = Date.parse('2026-11-23T13:05:09Z');

  test('a time is in the reader’s zone, with the year only where it is another one', () => {
    expect(formatTime(now, now)).toBe('23 Nov, 14:05:09');
    expect(formatTime('2025-07-01T22:30:00.000Z', now)).toBe('2 Jul 2025, 00:30:00');
  });

  test('a time has the name of its zone at that moment', () => {
    expect(zoneName(now)).toBe('CET');
    expect(zoneName('2026-07-01T00:00:00Z')).toBe('CEST');
    process.env['TZ'] = 'America/New_York';
    expect(zoneName(now)).toBe('EST');
    process.env['TZ'] = 'Asia/Kolkata';
    expect(zoneName(now)).toBe('GMT+5:30');
    process.env['TZ'] = 'Europe/Paris';
  });

  test.each([
    [-30, '30 seconds ago'],
    [-90, '1 minute ago'],
    [7_200, 'in 2 hours'],
    [-86_400, 'yesterday'],
    [-86_400 * 400, 'last year'],
  ])('a time %d seconds from now is %s', (seconds, expected) => {
    expect(formatAgo(now + seconds * 1_000, now)).toBe(expected);
  });
});
