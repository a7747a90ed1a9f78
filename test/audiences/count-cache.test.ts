import { beforeEach, describe, expect, test } from 'vitest';
import { type CountCache, type CountedAudience, openCountCache } from '../../src/audiences/count-cache.ts';

const MAX_AGE_MS = 5_000;
const CHEAP_MS = 2;
const EXPENSIVE_MS = 20;

let nowMs: number;
let snapshot: string;
let snapshotReads: number;
/** A read of the snapshot takes until this promise settles. */
let snapshotRead: Promise<void>;
let cache: CountCache;
let counted: number;
let waiting: (() => void)[];

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20);
  snapshot = 'first';
  snapshotReads = 0;
  snapshotRead = Promise.resolve();
  cache = openCountCache({
    clock: () => new Date(nowMs),
    maxAgeMs: MAX_AGE_MS,
    readSnapshot: async () => {
      snapshotReads += 1;
      await snapshotRead;
      return snapshot;
    },
  });
  counted = 0;
  waiting = [];
});

const countedAs = (devices: number, countMs = CHEAP_MS): CountedAudience => ({
  count: { devices, reachable: devices },
  countMs,
  isTimeless: false,
  body: `{"count": ${devices}}`,
});
const get = async (
  key: string,
  count: (inBackground: boolean) => Promise<CountedAudience>,
): Promise<number> => (await cache.get(key, count)).count.devices;
/** Returns its own number as the count. */
const cheap = async (): Promise<CountedAudience> => countedAs(++counted);
const expensive = async (): Promise<CountedAudience> => countedAs(++counted, EXPENSIVE_MS);
const timeless = async (): Promise<CountedAudience> => ({ ...(await expensive()), isTimeless: true });
/** Is expensive as well, and takes until `finish` is called. */
const expensiveAndSlow = async (): Promise<CountedAudience> => {
  const number = ++counted;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return countedAs(number, EXPENSIVE_MS);
};
const large = async (): Promise<CountedAudience> => ({ ...countedAs(++counted), body: 'x'.repeat(2 ** 20) });
/** Reads of the snapshot start at the end of a turn of the event loop, and one may follow another. */
const endOfTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
};
const finish = async (): Promise<void> => {
  for (const resolve of waiting.splice(0)) resolve();
  await endOfTurns();
};
const failing = async (): Promise<CountedAudience> => {
  throw new Error('the database is away');
};
const crowd = (size: number, count: () => Promise<CountedAudience>): Promise<number>[] =>
  Array.from({ length: size }, async () => get('a', count));

describe('an audience removed from the cache', () => {
  test('a removed audience is counted again for later callers, however expensive the count', async () => {
    await get('a', expensive);
    snapshot = 'second';
    await get('a', expensive);
    snapshot = 'third';
    expect(await get('a', expensive)).toBe(2);
    cache.forget('a');
    await expect(get('a', failing)).rejects.toThrow('away');
  });

  test('the count of an audience removed meanwhile goes to the callers that wait, and to no later one', async () => {
    const waits = get('a', expensiveAndSlow);
    await endOfTurns();
    cache.forget('a');
    const later = get('a', expensive);
    await endOfTurns();
    await finish();
    expect(await waits).toBe(1);
    expect(await later).toBe(2);
  });
});

describe('a cheap count', () => {
  test('a cheap count is served from the cache while nothing is written', async () => {
    expect(await get('a', cheap)).toBe(1);
    nowMs += MAX_AGE_MS;
    expect(await get('a', cheap)).toBe(1);
    expect(counted).toBe(1);
  });

  test('a cheap count is repeated after any write', async () => {
    expect(await get('a', cheap)).toBe(1);
    snapshot = 'second';
    expect(await get('a', cheap)).toBe(2);
  });

  test('a cheap count is repeated past the maximum age, because its filters may depend on the time', async () => {
    expect(await get('a', cheap)).toBe(1);
    nowMs += MAX_AGE_MS + 1;
    expect(await get('a', cheap)).toBe(2);
  });

  test('a count that started before a change is not served to callers that arrive after the change', async () => {
    const slow = async (): Promise<CountedAudience> => {
      const number = ++counted;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return countedAs(number);
    };
    const before = get('a', slow);
    await endOfTurns();
    snapshot = 'second';
    const after = crowd(10, slow);
    await endOfTurns();
    await finish();
    expect(await before).toBe(1);
    await finish();
    expect(new Set(await Promise.all(after))).toEqual(new Set([2]));
    expect(counted).toBe(2);
  });

  test('a cheap count stays exact after one slow count', async () => {
    await get('a', cheap);
    snapshot = 'second';
    await get('a', expensive);
    snapshot = 'third';
    expect(await get('a', cheap)).toBe(3);
  });

  test('a cheap count stays exact after a first count that was slow for its connection and plans', async () => {
    await get('a', expensive);
    snapshot = 'second';
    expect(await get('a', cheap)).toBe(2);
  });

  test('callers that arrive together or during another read share one read of the snapshot', async () => {
    await get('a', cheap);
    snapshotReads = 0;
    await Promise.all(crowd(100, cheap));
    expect(snapshotReads).toBe(1);
    const held = Promise.withResolvers<void>();
    snapshotRead = held.promise;
    const first = get('a', cheap);
    await endOfTurns();
    const later = crowd(100, cheap);
    await endOfTurns();
    expect(snapshotReads).toBe(2);
    held.resolve();
    await Promise.all([first, ...later]);
    expect(snapshotReads).toBe(3);
  });

  test('a cheap count is kept per audience', async () => {
    await get('a', async () => countedAs(10));
    expect(await get('b', async () => countedAs(20))).toBe(20);
  });
});

describe('an expensive count', () => {
  beforeEach(async () => {
    await get('a', expensive);
    snapshot = 'second';
    expect(await get('a', expensive)).toBe(2);
    snapshot = 'third';
    snapshotReads = 0;
  });

  test('an expensive count is served from the cache without a query', async () => {
    nowMs += MAX_AGE_MS / 2;
    expect(await get('a', expensive)).toBe(2);
    expect([counted, snapshotReads]).toEqual([2, 0]);
  });

  test('an expensive count is refreshed once before it is too old, and served during the refresh', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(new Set(await Promise.all(crowd(100, expensiveAndSlow)))).toEqual(new Set([2]));
    await endOfTurns();
    expect(counted).toBe(3);
    await finish();
    expect(await get('a', expensive)).toBe(3);
  });

  test('an expensive count is not repeated while nothing is written, unless its filters depend on the time', async () => {
    nowMs += MAX_AGE_MS + 1;
    expect(await get('a', timeless)).toBe(3);
    for (let polls = 0; polls < 10; polls++) {
      nowMs += MAX_AGE_MS / 2 + 1;
      expect(await get('a', timeless)).toBe(3);
      await endOfTurns();
    }
    nowMs += 10 * MAX_AGE_MS;
    expect(await get('a', timeless)).toBe(3);
    expect(counted).toBe(3);
    snapshot = 'fourth';
    nowMs += MAX_AGE_MS / 2 + 1;
    await get('a', timeless);
    await endOfTurns();
    expect(await get('a', timeless)).toBe(4);
  });

  test('an expensive count is never served past the maximum age: a hundred callers wait for one new count', async () => {
    nowMs += MAX_AGE_MS + 1;
    const callers = crowd(100, expensiveAndSlow);
    await endOfTurns();
    await finish();
    expect(new Set(await Promise.all(callers))).toEqual(new Set([3]));
    expect(counted).toBe(3);
  });

  test('an expensive count that is too old when it ends is repeated for callers that arrived during it', async () => {
    nowMs += MAX_AGE_MS + 1;
    const first = get('a', expensiveAndSlow);
    await endOfTurns();
    nowMs += MAX_AGE_MS + 1;
    const second = get('a', expensiveAndSlow);
    await endOfTurns();
    await finish();
    expect(await first).toBe(3);
    await finish();
    expect(await second).toBe(4);
  });

  test('an expensive count runs in the background only where no caller waits for it', async () => {
    const background: boolean[] = [];
    const recording = async (inBackground: boolean): Promise<CountedAudience> => {
      background.push(inBackground);
      return expensive();
    };
    nowMs += MAX_AGE_MS / 2 + 1;
    await get('a', recording);
    await endOfTurns();
    nowMs += MAX_AGE_MS + 1;
    await get('a', recording);
    expect(background).toEqual([true, false]);
  });

  test('a refresh that fails is reported only when the old count is too old', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(await get('a', failing)).toBe(2);
    await endOfTurns();
    nowMs += MAX_AGE_MS;
    await expect(get('a', failing)).rejects.toThrow('the database is away');
  });
});

test('an audience that is not cached is counted once for a hundred callers', async () => {
  const callers = crowd(100, expensiveAndSlow);
  await endOfTurns();
  await finish();
  expect(new Set(await Promise.all(callers))).toEqual(new Set([1]));
});

test('a failed count is reported to every caller that waits, and the next caller counts again', async () => {
  for (const result of await Promise.allSettled(crowd(3, failing))) expect(result.status).toBe('rejected');
  expect(await get('a', cheap)).toBe(1);
});

test('the least recently used large entries are removed', async () => {
  for (let number = 0; number < 33; number++) await get(`audience ${number}`, large);
  expect(await get('audience 32', large)).toBe(33);
  expect(await get('audience 0', large)).toBe(34);
});
