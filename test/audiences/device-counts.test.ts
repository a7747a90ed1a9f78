import { beforeEach, describe, expect, test } from 'vitest';
import { type DeviceCounts, openDeviceCounts } from '../../src/audiences/device-counts.ts';

const MAX_AGE_MS = 5_000;

let nowMs: number;
let counts: DeviceCounts;
let counted: number;
let waiting: (() => void)[];

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20);
  counts = openDeviceCounts({ clock: () => new Date(nowMs), maxAgeMs: MAX_AGE_MS });
  counted = 0;
  waiting = [];
});

/** Says how manieth count it was; takes no time. */
const cheap = async (): Promise<number> => ++counted;
/** Takes until `finish` is called, and long enough to be dear. */
const dear = async (): Promise<number> => {
  const number = ++counted;
  const untilMs = performance.now() + 20;
  while (performance.now() < untilMs); // works: what is measured is the time that counting takes
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return number;
};
const finish = async (): Promise<void> => {
  for (const resolve of waiting.splice(0)) resolve();
  await new Promise(setImmediate);
};

const failing = async (): Promise<number> => {
  throw new Error('the database is away');
};

describe('a cheap count', () => {
  test('is made afresh for every reader that comes after the last one', async () => {
    expect(await counts.get('a', cheap)).toBe(1);
    expect(await counts.get('a', cheap)).toBe(2);
  });

  test('is shared by those who come while one runs, and starts after they came', async () => {
    const readers = Array.from({ length: 50 }, async () => counts.get('a', cheap));
    const seen = await Promise.all(readers);
    expect(seen[0]).toBe(1);
    expect(new Set(seen.slice(1))).toEqual(new Set([2]));
    expect(counted).toBe(2);
  });

  test('is each audience’s own', async () => {
    await counts.get('a', async () => 10);
    expect(await counts.get('b', async () => 20)).toBe(20);
  });
});

describe('a dear count', () => {
  beforeEach(async () => {
    const first = counts.get('a', dear);
    await finish();
    expect(await first).toBe(1);
  });

  test('is served as it was counted, without another count', async () => {
    nowMs += MAX_AGE_MS / 2;
    expect(await counts.get('a', dear)).toBe(1);
    expect(counted).toBe(1);
  });

  test('is refreshed once before it is too old, and served meanwhile', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(await Promise.all(Array.from({ length: 20 }, async () => counts.get('a', dear)))).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
    expect(counted).toBe(2);
    await finish();
    expect(await counts.get('a', dear)).toBe(2);
  });

  test('is never served older than the maximum age: readers wait for one fresh count', async () => {
    nowMs += MAX_AGE_MS + 1;
    const readers = Array.from({ length: 20 }, async () => counts.get('a', dear));
    await finish();
    expect(new Set(await Promise.all(readers))).toEqual(new Set([2]));
    expect(counted).toBe(2);
  });

  test('that fails while it is refreshed is told only when the old one is too old', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(await counts.get('a', failing)).toBe(1);
    nowMs += MAX_AGE_MS;
    await expect(counts.get('a', failing)).rejects.toThrow('the database is away');
  });
});

test('a failed count is told to everybody who waits, and the next reader counts again', async () => {
  const readers = Array.from({ length: 3 }, async () => counts.get('a', failing));
  for (const result of await Promise.allSettled(readers)) expect(result.status).toBe('rejected');
  expect(await counts.get('a', cheap)).toBe(1);
});
