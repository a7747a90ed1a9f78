import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RequestQueue } from '../src/request-queue.ts';

interface Item {
  waitingSince: number;
  isReturned: boolean;
}

function queueOf(...times: readonly number[]): RequestQueue<Item> {
  const queue = new RequestQueue<Item>();
  for (const waitingSince of times) queue.push({ waitingSince, isReturned: false });
  return queue;
}

/** @returns whether the promise is resolved after this turn of the event loop */
async function isResolved(promise: Promise<void> | undefined): Promise<boolean> {
  let resolved = false;
  void promise?.then(() => (resolved = true));
  await new Promise(setImmediate);
  return resolved;
}

test('returned items come before new ones, both in the order of their arrival', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('shift' as const), fc.record({ isReturned: fc.boolean() })), {
        maxLength: 300,
      }),
      (steps) => {
        const queue = new RequestQueue<Item>();
        let model: Item[] = [];
        for (const [waitingSince, step] of steps.entries()) {
          if (step === 'shift') {
            const [next] = model.toSorted(
              (a, b) => Number(b.isReturned) - Number(a.isReturned) || a.waitingSince - b.waitingSince,
            );
            expect(queue.shift()).toBe(next);
            model = model.filter((item) => item !== next);
          } else {
            const item = { ...step, waitingSince };
            model.push(item);
            if (item.isReturned) queue.putBack(item);
            else queue.push(item);
          }
          expect(queue.size).toBe(model.length);
        }
      },
    ),
  );
});

test('a queue keeps its order over more items than it holds at once', () => {
  const queue = new RequestQueue<Item>();
  let next = 0;
  for (let n = 0; n < 10_000; n += 1) {
    queue.push({ waitingSince: n, isReturned: false });
    if (n % 3 !== 0) {
      expect(queue.shift()?.waitingSince).toBe(next);
      next += 1;
    }
  }
  expect(queue.size).toBe(10_000 - next);
});

test('shiftWaitingSince takes only the items that have waited long enough', () => {
  const queue = queueOf(10, 20, 30);
  queue.putBack({ waitingSince: 15, isReturned: true });
  const late = [];
  for (let item = queue.shiftWaitingSince(20); item !== undefined; item = queue.shiftWaitingSince(20)) {
    late.push(item.waitingSince);
  }
  expect(late).toEqual([15, 10, 20]);
  expect(queue.size).toBe(1);
});

describe('whenSent', () => {
  test('whenSent is resolved while the queue is empty', async () => {
    expect(await isResolved(queueOf().whenSent())).toBe(true);
  });

  test('whenSent resolves when each item pushed before it has left once, even if one was put back', async () => {
    const queue = queueOf(10, 20, 30, 40);
    const sent = queue.whenSent();
    queue.push({ waitingSince: 50, isReturned: false });
    const first = queue.shift();
    queue.shiftWaitingSince(20);
    queue.takeWhere(({ waitingSince }) => waitingSince === 40);
    if (first !== undefined) queue.putBack(first);
    queue.notify();
    expect(await isResolved(sent)).toBe(false);

    expect(queue.shift()).toBe(first);
    queue.notify();
    expect(await isResolved(sent)).toBe(false);

    queue.shift();
    queue.notify();
    expect(await isResolved(sent)).toBe(true);
    expect(queue.size).toBe(1);
  });
});

describe('whenShort', () => {
  test('whenShort is undefined below 500 items', () => {
    expect(queueOf(...Array.from({ length: 499 }).keys()).whenShort()).toBeUndefined();
  });

  test('whenShort resolves below 250 items', async () => {
    const queue = queueOf(...Array.from({ length: 500 }).keys());
    const short = queue.whenShort();
    queue.takeWhere(({ waitingSince }) => waitingSince >= 250);
    queue.notify();
    expect(await isResolved(short)).toBe(false);

    queue.shift();
    queue.notify();
    expect(await isResolved(short)).toBe(true);
    expect(queue.whenShort()).toBeUndefined();
  });
});
