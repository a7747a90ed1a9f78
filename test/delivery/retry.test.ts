import { expect, test } from 'vitest';
import { retryDelayMs } from '../../src/delivery/send/retry.ts';

test('a retry waits as long as the gateway asks', () => {
  expect(retryDelayMs('apns', 5, 3_000, () => 0)).toBe(3_000);
});

test.each([
  ['apns', 1, 500, 1_000],
  ['apns', 3, 2_000, 4_000],
  ['fcm', 1, 5_000, 10_000],
  ['fcm', 9, 30_000, 60_000],
] as const)('%s, try %i: between %i and %i ms', (gateway, tries, least, most) => {
  expect(retryDelayMs(gateway, tries, null, () => 0)).toBe(least);
  expect(retryDelayMs(gateway, tries, null, () => 1)).toBe(most);
});
