import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lane } from '../../../src/gateways/gateway.ts';
import { WaitingLine } from '../../../src/gateways/http2/waiting-line.ts';

interface Item {
  lane: Lane;
  waitingSince: number;
  isReturned: boolean;
}

test('serves direct before bulk, the returned before the new, and each of these in order', () => {
  const lane = fc.constantFrom<Lane>('direct', 'bulk');
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('shift' as const), fc.record({ lane, isReturned: fc.boolean() })), {
        maxLength: 300,
      }),
      (steps) => {
        const line = new WaitingLine<Item>();
        let model: Item[] = [];
        for (const [waitingSince, step] of steps.entries()) {
          if (step === 'shift') {
            const [next] = model.toSorted((a, b) => rank(a) - rank(b) || a.waitingSince - b.waitingSince);
            expect(line.shift()).toBe(next);
            model = model.filter((item) => item !== next);
          } else {
            const item = { ...step, waitingSince };
            model.push(item);
            if (item.isReturned) line.putBack(item);
            else line.push(item);
          }
          expect(line.size).toBe(model.length);
        }
      },
    ),
  );
});

test('keeps its order over more items than it holds at once', () => {
  const line = new WaitingLine<Item>();
  let next = 0;
  for (let n = 0; n < 10_000; n += 1) {
    line.push({ lane: 'bulk', waitingSince: n, isReturned: false });
    if (n % 3 !== 0) {
      expect(line.shift()?.waitingSince).toBe(next);
      next += 1;
    }
  }
  expect(line.size).toBe(10_000 - next);
});

test('gives up those who have waited longest, and only them', () => {
  const line = new WaitingLine<Item>();
  for (const waitingSince of [10, 20, 30]) line.push({ lane: 'bulk', waitingSince, isReturned: false });
  line.push({ lane: 'direct', waitingSince: 15, isReturned: false });
  expect(line.hasWaitedSince(9)).toBe(false);
  expect(line.hasWaitedSince(10)).toBe(true);
  const late = [];
  for (let item = line.shiftWaitingSince(20); item !== undefined; item = line.shiftWaitingSince(20)) {
    late.push(item.waitingSince);
  }
  expect(late).toEqual([15, 10, 20]);
  expect(line.size).toBe(1);
});

function rank({ lane, isReturned }: Item): number {
  return (lane === 'direct' ? 0 : 2) + (isReturned ? 0 : 1);
}
