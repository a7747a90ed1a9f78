import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Haste } from '../../../src/gateways/haste.ts';
import { RoundTripWindow } from '../../../src/gateways/http2/round-trip-window.ts';

/**
 * A peer at some distance that serves so many requests a second, one after the other: what is in flight beyond
 * what fits on the way stands in its queue.
 */
function settle(options: {
  distanceMs: number;
  perSecond: number;
  answers: number;
  haste?: Haste;
  window?: RoundTripWindow;
  /** Single pushes are sent all the time. */
  inHaste?: boolean;
}) {
  const { distanceMs, perSecond, answers, haste = new Haste(), inHaste = false } = options;
  const { window = new RoundTripWindow(haste) } = options;
  let now = 0;
  for (let n = 0; n < answers; n++) {
    const roundTripMs = Math.max(distanceMs, (window.size / perSecond) * 1_000);
    now += roundTripMs / window.size;
    if (inHaste) haste.begin(now);
    window.answered(roundTripMs * (1 + (n % 7) / 100), true, now);
  }
  const throughput = window.size / Math.max(distanceMs / 1_000, window.size / perSecond);
  return { size: window.size, throughput };
}

describe('the window', () => {
  test('starts at some dozens', () => {
    expect(new RoundTripWindow(new Haste()).size).toBe(32);
  });

  test('grows over a long way until the peer is busy', () => {
    const { throughput } = settle({ distanceMs: 50, perSecond: 20_000, answers: 50_000 });
    expect(throughput).toBeGreaterThan(0.9 * 20_000);
  });

  test('is there within a second', () => {
    // 32, 64, 128, 256, 512: five round trips of answers
    expect(settle({ distanceMs: 50, perSecond: 1e9, answers: 32 + 64 + 128 + 256 + 512 }).size).toBe(1024);
  });

  const nextDoor = { distanceMs: 0.5, perSecond: 20_000, answers: 50_000 };

  test('stays in the hundreds next door, where more would only stand in queues', () => {
    expect(settle(nextDoor).size).toBeLessThanOrEqual(256);
  });

  test('is some dozens next door while single pushes are sent, and wide again seconds after the last', () => {
    const haste = new Haste();
    const window = new RoundTripWindow(haste);
    expect(settle({ ...nextDoor, haste, window }).size).toBeGreaterThanOrEqual(128);
    expect(settle({ ...nextDoor, haste, window, inHaste: true }).size).toBeLessThanOrEqual(96);
    expect(settle({ ...nextDoor, haste, window, answers: 200_000 }).size).toBeGreaterThan(96);
  });

  test('is made for a far peer whether or not single pushes are sent', () => {
    const { throughput } = settle({ distanceMs: 50, perSecond: 20_000, answers: 50_000, inHaste: true });
    expect(throughput).toBeGreaterThan(0.9 * 20_000);
  });

  test('does not grow for a sender that does not fill it', () => {
    const window = new RoundTripWindow(new Haste());
    for (let n = 0; n < 10_000; n++) window.answered(50, false, n);
    expect(window.size).toBe(32);
  });

  test('shrinks again when the way has become short, once a quiet moment has shown it', () => {
    const window = new RoundTripWindow(new Haste());
    expect(settle({ distanceMs: 50, perSecond: 20_000, answers: 50_000, window }).size).toBeGreaterThan(800);
    window.answered(0.5, false, 0);
    expect(settle({ distanceMs: 0.5, perSecond: 20_000, answers: 50_000, window }).size).toBeLessThanOrEqual(
      256,
    );
  });

  test('is bounded, whatever the round trips', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.boolean())),
        (answers) => {
          const window = new RoundTripWindow(new Haste());
          for (const [round, [durationMs, isFull]] of answers.entries()) {
            for (let n = 0; n < 300; n++) window.answered(durationMs, isFull, round * 1_000);
            expect(window.size).toBeGreaterThanOrEqual(32);
            expect(window.size).toBeLessThanOrEqual(2_000);
          }
        },
      ),
    );
  });
});
