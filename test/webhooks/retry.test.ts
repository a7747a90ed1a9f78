import { array, assert, double, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryAfterMs, retryAt } from '../../src/webhooks/retry.ts';

const createdAt = new Date('2026-11-21T00:00:00.000Z');
const HOUR_MS = 60 * 60_000;

describe('The backoff', () => {
  test.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [9, 2_560],
    [10, 3_600],
    [11, 3_600],
    [500, 3_600],
  ])('the backoff after attempt %i is %i seconds, and up to a fifth more', (attempt, seconds) => {
    const wait = (random: number) =>
      (retryAt({ attempt, createdAt }, createdAt, random)?.getTime() ?? 0) - createdAt.getTime();
    expect(wait(0)).toBe(seconds * 1_000);
    expect(wait(1)).toBe(seconds * 1_200);
  });

  test('the attempts go on for most of a day, and never beyond it', () => {
    const randoms = array(double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 });
    assert(
      property(randoms, (drawn) => {
        let now = createdAt;
        for (const [index, random] of drawn.entries()) {
          const next = retryAt({ attempt: index + 1, createdAt }, now, random);
          if (next === undefined) {
            const triedForMs = now.getTime() - createdAt.getTime();
            expect(triedForMs).toBeGreaterThan(22 * HOUR_MS);
            expect(triedForMs).toBeLessThanOrEqual(24 * HOUR_MS);
            return;
          }
          now = next;
        }
        throw new Error('it never gives up');
      }),
    );
  });
});

describe('A wait that the receiver asks for', () => {
  test.each([
    [undefined, 10],
    ['0', 10],
    ['5', 10],
    ['-120', 10],
    ['soon', 10],
    ['', 10],
    ['120', 120],
    ['120.5', 120.5],
    ['99999999', 3_600],
    ['Sat, 21 Nov 2026 00:02:00 GMT', 120],
    ['Fri, 20 Nov 2026 00:00:00 GMT', 10],
    ['Sun, 21 Nov 2100 00:00:00 GMT', 3_600],
  ])('a receiver that asks for a wait of %j delays the second attempt by %d seconds', (text, seconds) => {
    const wantedMs = retryAfterMs(text, createdAt);
    const due = retryAt({ attempt: 1, createdAt }, createdAt, 0, wantedMs);
    expect((due?.getTime() ?? 0) - createdAt.getTime()).toBe(seconds * 1_000);
  });

  test('a wait that the receiver asks for does not shorten a later one', () => {
    const due = retryAt({ attempt: 9, createdAt }, createdAt, 0, retryAfterMs('120', createdAt));
    expect(due?.getTime()).toBe(createdAt.getTime() + 2_560_000);
  });
});
