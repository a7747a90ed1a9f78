/** When the notifications of a batch may begin, in a process that sends too. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BatchLimit } from '../../src/notifications/intake/batch-limit.ts';

const slots = {
  free: 0,
  listeners: new Set<() => void>(),
  onFree(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  },
  become(free: number): void {
    this.free = free;
    for (const listener of this.listeners) listener();
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  slots.become(0);
});
afterEach(() => {
  expect(slots.listeners.size).toBe(0);
  vi.useRealTimers();
});

function open(max = 400): { begun: () => number; enter: () => void; limit: BatchLimit } {
  const limit = new BatchLimit({ max, slots });
  let begun = 0;
  const enter = (): void => {
    const entered = limit.enter();
    if (entered === undefined) begun += 1;
    else void entered.then(() => (begun += 1));
  };
  return { begun: () => begun, enter, limit };
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe('a notification of a batch', () => {
  test('a notification of a batch begins when there is a slot for it and for those in progress', async () => {
    slots.become(2);
    const { begun, enter, limit } = open();
    for (let count = 0; count < 4; count++) enter();
    expect(begun()).toBe(2);
    slots.become(3);
    await pass(0);
    expect(begun()).toBe(3);
    limit.leave();
    await pass(0);
    expect(begun()).toBe(4);
  });

  test('a notification of a batch waits for 250 ms if no slot is free, and later notifications do not wait', async () => {
    const { begun, enter } = open();
    enter();
    await pass(249);
    expect(begun()).toBe(0);
    await pass(1);
    expect(begun()).toBe(1);
    await pass(999);
    enter();
    expect(begun()).toBe(2);
    await pass(1);
    enter();
    expect(begun()).toBe(2);
    await pass(250);
    expect(begun()).toBe(3);
  });

  test('a notification of a batch waits as long as others before it get slots', async () => {
    slots.become(1);
    const { begun, enter } = open();
    for (let count = 0; count < 4; count++) enter();
    for (const free of [2, 3]) {
      await pass(200);
      slots.become(free);
    }
    await pass(200);
    expect(begun()).toBe(3);
    slots.become(4);
    await pass(0);
    expect(begun()).toBe(4);
  });

  test('a notification of a batch begins only after another has left if as many are in progress as may be', async () => {
    slots.become(10);
    const { begun, enter, limit } = open(1);
    enter();
    enter();
    await pass(10_000);
    expect(begun()).toBe(1);
    limit.leave();
    await pass(0);
    expect(begun()).toBe(2);
  });
});
