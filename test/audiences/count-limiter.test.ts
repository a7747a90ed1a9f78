import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CountLimiter, openCountLimiter } from '../../src/audiences/count-limiter.ts';

const CONCURRENCY = 4;
const WAIT_MS = 5_000;

let limiter: CountLimiter;
let started: number[];
let finish: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  limiter = openCountLimiter();
  started = [];
  finish = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const count = async (number: number): Promise<number> =>
  limiter.run(async () => {
    started.push(number);
    await new Promise<void>((resolve) => {
      finish[number] = resolve;
    });
    return number;
  });
/** As many as may run at a time. */
const countFour = (): Promise<number>[] =>
  Array.from({ length: CONCURRENCY }, async (_, number) => count(number));
const finishAll = async (counts: readonly Promise<number>[]): Promise<number[]> => {
  for (const end of finish) end();
  return Promise.all(counts);
};
const runTimers = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(0);
};

test('the count limiter runs four counts at a time, and the others in the order of their arrival', async () => {
  const counts = Array.from({ length: 7 }, async (_, number) => count(number));
  await runTimers();
  expect(started).toEqual([0, 1, 2, 3]);
  finish[2]?.();
  await runTimers();
  expect(started).toEqual([0, 1, 2, 3, 4]);
  finish[0]?.();
  finish[1]?.();
  await runTimers();
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await finishAll(counts)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('the count limiter refuses a count that has waited too long, and says when to try again', async () => {
  const counts = countFour();
  const late = count(CONCURRENCY);
  const refused = expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
  await vi.advanceTimersByTimeAsync(WAIT_MS);
  await refused;
  await finishAll(counts);
  expect(started).toHaveLength(CONCURRENCY);
});

test('the count limiter frees the slot of a count that fails, and gives no slot to a caller that gave up', async () => {
  const failing = limiter.run(async () => {
    throw new Error('the database is away');
  });
  await expect(failing).rejects.toThrow('the database is away');
  const first = countFour();
  const late = expect(count(CONCURRENCY)).rejects.toThrow('Too many audiences');
  await vi.advanceTimersByTimeAsync(WAIT_MS);
  await late;
  await finishAll(first);
  const second = countFour();
  await runTimers();
  expect(started).toHaveLength(2 * CONCURRENCY);
  await finishAll(second);
});

test('a caller that hangs up while it waits ends its wait, and gets no slot', async () => {
  const counts = countFour();
  const caller = new AbortController();
  const waiting = limiter.run(async () => started.push(CONCURRENCY), caller.signal);
  const ended = expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  await runTimers();
  caller.abort();
  await ended;
  await finishAll(counts);
  await expect(limiter.run(async () => started.push(-1), caller.signal)).rejects.toThrow();
  expect(started).toEqual([0, 1, 2, 3]);
  expect(await limiter.run(async () => 'still counts')).toBe('still counts');
});
