import { describe, expect, test } from 'vitest';
import { OutcomeRate } from '../../src/results/report/outcome-rate.ts';

/** Outcomes are saved a hundred at a time (`WORTH_SAVING`). */
const STEP = 100;

/** The rate in each second while outcomes come at a pace and are saved in steps. */
function ratesAt(perSecond: number, seconds: number, rate = new OutcomeRate()): (number | null)[] {
  return Array.from({ length: seconds }, (_, second) => {
    const done = Math.floor((second * perSecond) / STEP) * STEP;
    return rate.add({ atMs: second * 1_000, done }, true);
  });
}

describe('the rate of a notification', () => {
  test.each([4, 10, 25, 50, 90, 150, 1_000])(
    'the rate at %i outcomes per second is about that, and never 0',
    (perSecond) => {
      const stepSeconds = Math.ceil(STEP / perSecond);
      const rates = ratesAt(perSecond, 12 * stepSeconds + 20).slice(3 * stepSeconds);
      for (const shown of rates) {
        expect(shown).toBeGreaterThan(0.7 * perSecond);
        expect(shown).toBeLessThan(1.45 * perSecond);
      }
    },
  );

  test('the rate of a notification is not known before the first outcomes', () => {
    expect(ratesAt(10, 9)).toEqual(Array.from({ length: 9 }, () => null));
  });

  test('the rate falls to 0 if what a worker holds gets no outcome for three times as long as before', () => {
    const rate = new OutcomeRate();
    ratesAt(1_000, 10, rate);
    const after = [1, 2, 3, 4, 5, 6].map((second) =>
      rate.add({ atMs: (9 + second) * 1_000, done: 9_000 }, true),
    );
    expect(after.slice(0, 4).every((shown) => shown !== null && shown > 0)).toBe(true);
    expect(after.slice(4)).toEqual([0, 0]);
  });

  test('the rate is 0 five seconds after the last outcome if no worker holds any device', () => {
    const rate = new OutcomeRate();
    ratesAt(10, 30, rate);
    expect(rate.add({ atMs: 30_000, done: 300 }, false)).toBeGreaterThan(0);
    expect(rate.add({ atMs: 35_000, done: 300 }, false)).toBe(0);
  });

  test('the rate after a pause is the rate of the outcomes since', () => {
    const rate = new OutcomeRate();
    const add = (second: number, done: number): number | null =>
      rate.add({ atMs: second * 1_000, done }, false);
    for (const second of [0, 1, 2]) add(second, second * 500);
    for (const second of [7, 8, 600]) expect(add(second, 1_000)).toBe(0);
    for (const second of [601, 602, 603]) expect(add(second, 1_000 + (second - 600) * 500)).toBe(500);
  });
});
