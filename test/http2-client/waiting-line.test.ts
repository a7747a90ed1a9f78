import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { WaitingLine } from '../../src/http2-client/waiting-line.ts';

interface Item {
  waitingSince: number;
  isReturned: boolean;
}

test('serves the returned before the new, and each of these in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('shift' as const), fc.record({ isReturned: fc.boolean() })), {
        maxLength: 300,
      }),
      (steps) => {
        const line = new WaitingLine<Item>();
        let model: Item[] = [];
        for (const [waitingSince, step] of steps.entries()) {
          if (step === 'shift') {
            const [next] = model.toSorted(
              (a, b) => Number(b.isReturned) - Number(a.isReturned) || a.waitingSince - b.waitingSince,
            );
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
    line.push({ waitingSince: n, isReturned: false });
    if (n % 3 !== 0) {
      expect(line.shift()?.waitingSince).toBe(next);
      next += 1;
    }
  }
  expect(line.size).toBe(10_000 - next);
});

test('gives up those who have waited longest, and only them', () => {
  const line = new WaitingLine<Item>();
  for (const waitingSince of [10, 20, 30]) line.push({ waitingSince, isReturned: false });
  line.putBack({ waitingSince: 15, isReturned: true });
  const late = [];
  for (let item = line.shiftWaitingSince(20); item !== undefined; item = line.shiftWaitingSince(20)) {
    late.push(item.waitingSince);
  }
  expect(late).toEqual([15, 10, 20]);
  expect(line.size).toBe(1);
});

test('knows how many have left of those that have come, one that is put back among them', () => {
  const line = new WaitingLine<Item>();
  for (const waitingSince of [10, 20, 30, 40]) line.push({ waitingSince, isReturned: false });
  const first = line.shift();
  line.shiftWaitingSince(20);
  line.takeWhere(({ waitingSince }) => waitingSince === 40);
  expect([line.come, line.gone]).toEqual([4, 3]);
  if (first !== undefined) line.putBack(first);
  expect([line.come, line.gone]).toEqual([4, 3]);
  line.shift();
  expect(line.gone).toBe(3);
  line.shift();
  expect(line.gone).toBe(4);
});
