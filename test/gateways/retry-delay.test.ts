import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayNames } from '../../src/route.ts';
import { retryDelayMs } from '../../src/gateways/retry-delay.ts';

test.each([
  ['apns', 1, null, 500, 1_000],
  ['apns', 3, null, 2_000, 4_000],
  ['fcm', 1, null, 5_000, 10_000],
  ['fcm', 9, null, 30_000, 60_000],
  // What the gateway asks for counts if it is longer, and is never shortened.
  ['apns', 1, 3_000, 3_000, 3_600],
  ['fcm', 1, 3_000, 3_000, 3_600],
  ['fcm', 9, 120_500, 120_500, 144_600],
  ['apns', 30, 3_600_000, 3_600_000, 4_320_000],
  // One that is too short does not.
  ['apns', 1, 0, 500, 1_000],
  ['fcm', 1, 0, 500, 1_000],
  ['fcm', 4, 0, 4_000, 8_000],
  ['apns', 30, 500, 30_000, 60_000],
  ['apns', 5_000, 0, 30_000, 60_000],
] as const)(
  'a push by %s waits before try %i, with %j asked for, between %i and %i ms',
  (gateway, tries, askedMs, least, most) => {
    expect(retryDelayMs(gateway, tries, askedMs, () => 0)).toBe(least);
    expect(retryDelayMs(gateway, tries, askedMs, () => 1)).toBe(most);
  },
);

test('a push is tried at most five times in ten seconds and eleven times in three minutes, whatever is asked for', () => {
  const asked = fc.option(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 }), fc.nat({ max: 3_600_000 })),
  );
  const answers = fc.array(fc.tuple(asked, fc.double({ min: 0, max: 1, noNaN: true })), { minLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...gatewayNames), answers, (gateway, each) => {
      let nowMs = 0;
      const triedAt = each.map(([askedMs, random], index) => {
        nowMs += retryDelayMs(gateway, index + 1, askedMs, () => random);
        return nowMs;
      });
      const within = (ms: number): number => 1 + triedAt.filter((at) => at < ms).length;
      expect(within(10_000)).toBeLessThanOrEqual(5);
      expect(within(180_000)).toBeLessThanOrEqual(11);
    }),
  );
});
