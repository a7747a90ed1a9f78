import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RoundTripWindow } from '../src/round-trip-window.ts';

/**
 * Simulates a peer at a distance with a fixed number of requests per second: requests beyond its capacity wait in a
 * queue.
 */
function simulate(options: {
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
  test('the window starts at 32', () => {
    expect(new RoundTripWindow().size).toBe(32);
  });

  test('the window grows over a long distance until the peer is busy', () => {
    const { throughput } = simulate({ distanceMs: 50, perSecond: 20_000, answers: 50_000 });
    expect(throughput).toBeGreaterThan(0.9 * 20_000);
  });

  test('the window doubles with each round trip at the start', () => {
    // 32, 64, 128, 256, 512: five round trips of answers
    expect(simulate({ distanceMs: 50, perSecond: 1e9, answers: 32 + 64 + 128 + 256 + 512 }).size).toBe(1024);
  });

  const nearby = { distanceMs: 0.5, perSecond: 20_000, answers: 50_000 };

  test('the window stays in the hundreds nearby, where more requests would only be queued', () => {
    const { size } = simulate(nearby);
    expect(size).toBeLessThanOrEqual(256);
    expect(size).toBeGreaterThanOrEqual(128);
  });

  test('the window does not grow while the sender does not fill it', () => {
    const window = new RoundTripWindow();
    for (let n = 0; n < 10_000; n++) window.answered(50, false, n);
    expect(window.size).toBe(32);
  });

  test('the window shrinks when the distance becomes short, once an idle moment has shown it', () => {
    const window = new RoundTripWindow();
    expect(simulate({ distanceMs: 50, perSecond: 20_000, answers: 50_000, window }).size).toBeGreaterThan(
      800,
    );
    window.answered(0.5, false, 0);
    expect(
      simulate({ distanceMs: 0.5, perSecond: 20_000, answers: 50_000, window }).size,
    ).toBeLessThanOrEqual(256);
  });

  test('the window stays between 32 and 2,000 for any round trips', () => {
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
