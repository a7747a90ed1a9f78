import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RoundTripWindow } from '../../src/http2-client/round-trip-window.ts';

/**
 * A peer at some distance that serves so many requests a second, one after the other: what is in flight beyond
 * what fits on the way stands in its queue.
 */
function settle(options: {
  distanceMs: number;
  perSecond: number;
  answers: number;
  window?: RoundTripWindow;
}) {
  const { distanceMs, perSecond, answers, window = new RoundTripWindow() } = options;
  let now = 0;
  for (let n = 0; n < answers; n++) {
    const roundTripMs = Math.max(distanceMs, (window.size / perSecond) * 1_000);
    now += roundTripMs / window.size;
    window.answered(roundTripMs * (1 + (n % 7) / 100), true, now);
  }
  const throughput = window.size / Math.max(distanceMs / 1_000, window.size / perSecond);
  return { size: window.size, throughput };
}

describe('the window', () => {
  test('starts at some dozens', () => {
    expect(new RoundTripWindow().size).toBe(32);
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
    const { size } = settle(nextDoor);
    expect(size).toBeLessThanOrEqual(256);
    expect(size).toBeGreaterThanOrEqual(128);
  });

  test('does not grow for a sender that does not fill it', () => {
    const window = new RoundTripWindow();
    for (let n = 0; n < 10_000; n++) window.answered(50, false, n);
    expect(window.size).toBe(32);
  });

  test('shrinks again when the way has become short, once a quiet moment has shown it', () => {
    const window = new RoundTripWindow();
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
          const window = new RoundTripWindow();
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
