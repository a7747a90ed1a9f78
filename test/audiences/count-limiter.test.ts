import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CountingLine, openCountingLine } from '../../src/audiences/count-limiter.ts';

const AT_ONCE = 4;
const WAIT_MS = 5_000;

let line: CountingLine;
let begun: number[];
let finish: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  line = openCountingLine();
  begun = [];
  finish = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const count = async (number: number): Promise<number> =>
  line.run(async () => {
    begun.push(number);
    await new Promise<void>((resolve) => {
      finish[number] = resolve;
    });
    return number;
  });
const settle = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(0);
};

describe('the line of counts', () => {
  test('lets four run at once, and the others in the order in which they came', async () => {
    const counts = Array.from({ length: 7 }, async (_, number) => count(number));
    await settle();
    expect(begun).toEqual([0, 1, 2, 3]);
    finish[2]?.();
    await settle();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    finish[0]?.();
    finish[1]?.();
    await settle();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const end of finish) end();
    expect(await Promise.all(counts)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('refuses who has waited too long, and tells when to try again', async () => {
    const counts = Array.from({ length: AT_ONCE }, async (_, number) => count(number));
    const late = count(AT_ONCE);
    const refused = expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    await refused;
    for (const end of finish) end();
    await Promise.all(counts);
    expect(begun).toHaveLength(AT_ONCE);
  });

  test('gives the place of a count that fails to the next, and of one that gave up to nobody', async () => {
    const failing = line.run(async () => {
      throw new Error('the database is away');
    });
    await expect(failing).rejects.toThrow('the database is away');
    const first = Array.from({ length: AT_ONCE }, async (_, number) => count(number));
    const late = expect(count(AT_ONCE)).rejects.toThrow('Too many audiences');
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    await late;
    for (const end of finish) end();
    await Promise.all(first);
    const second = Array.from({ length: AT_ONCE }, async (_, number) => count(number));
    await settle();
    expect(begun).toHaveLength(2 * AT_ONCE);
    for (const end of finish) end();
    await Promise.all(second);
  });
});
