import { beforeEach, describe, expect, test } from 'vitest';
import { openReadings, type Reading, type Readings } from '../../src/audiences/count-cache.ts';

const MAX_AGE_MS = 5_000;
const CHEAP_MS = 2;
const DEAR_MS = 20;

let nowMs: number;
let state: string;
let looks: number;
/** A look takes until it settles. */
let look: Promise<void>;
let readings: Readings;
let counted: number;
let waiting: (() => void)[];

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20);
  state = 'first';
  looks = 0;
  look = Promise.resolve();
  readings = openReadings({
    clock: () => new Date(nowMs),
    maxAgeMs: MAX_AGE_MS,
    readState: async () => {
      looks += 1;
      await look;
      return state;
    },
  });
  counted = 0;
  waiting = [];
});

const readingOf = (devices: number, countMs = CHEAP_MS): Reading => ({
  count: { devices, reachable: devices },
  countMs,
  isTimeless: false,
  body: `{"count": ${devices}}`,
});
const get = async (key: string, read: (inBackground: boolean) => Promise<Reading>): Promise<number> =>
  (await readings.get(key, read)).count.devices;
/** Says how manieth count it was. */
const cheap = async (): Promise<Reading> => readingOf(++counted);
const dear = async (): Promise<Reading> => readingOf(++counted, DEAR_MS);
const timeless = async (): Promise<Reading> => ({ ...(await dear()), isTimeless: true });
/** Is dear as well, and takes until `finish` is called. */
const dearAndSlow = async (): Promise<Reading> => {
  const number = ++counted;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return readingOf(number, DEAR_MS);
};
const large = async (): Promise<Reading> => ({ ...readingOf(++counted), body: 'x'.repeat(2 ** 20) });
/** Looks at the database begin at the end of a turn of the event loop, and one may follow another. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
};
const finish = async (): Promise<void> => {
  for (const resolve of waiting.splice(0)) resolve();
  await settle();
};
const failing = async (): Promise<Reading> => {
  throw new Error('the database is away');
};
const crowd = (size: number, read: () => Promise<Reading>): Promise<number>[] =>
  Array.from({ length: size }, async () => get('a', read));

describe('an audience that is forgotten', () => {
  test('is read anew by whoever asks from then on, however dear it is', async () => {
    await get('a', dear);
    state = 'second';
    await get('a', dear);
    state = 'third';
    expect(await get('a', dear)).toBe(2);
    readings.forget('a');
    await expect(get('a', failing)).rejects.toThrow('away');
  });

  test('while it is counted is still told to who waits for it, and to nobody else', async () => {
    const waits = get('a', dearAndSlow);
    await settle();
    readings.forget('a');
    const later = get('a', dear);
    await settle();
    await finish();
    expect(await waits).toBe(1);
    expect(await later).toBe(2);
  });
});

describe('an audience that is cheap to count', () => {
  test('is served without a count while nothing is written', async () => {
    expect(await get('a', cheap)).toBe(1);
    nowMs += MAX_AGE_MS;
    expect(await get('a', cheap)).toBe(1);
    expect(counted).toBe(1);
  });

  test('is counted anew after anything was written', async () => {
    expect(await get('a', cheap)).toBe(1);
    state = 'second';
    expect(await get('a', cheap)).toBe(2);
  });

  test('is counted anew past the maximum age: its filters may be about the time', async () => {
    expect(await get('a', cheap)).toBe(1);
    nowMs += MAX_AGE_MS + 1;
    expect(await get('a', cheap)).toBe(2);
  });

  test('is not served to who came after a change, where it was counted across the change', async () => {
    const slow = async (): Promise<Reading> => {
      const number = ++counted;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return readingOf(number);
    };
    const before = get('a', slow);
    await settle();
    state = 'second';
    const after = crowd(10, slow);
    await settle();
    await finish();
    expect(await before).toBe(1);
    await finish();
    expect(new Set(await Promise.all(after))).toEqual(new Set([2]));
    expect(counted).toBe(2);
  });

  test('stays exact through one hiccup', async () => {
    await get('a', cheap);
    state = 'second';
    await get('a', dear);
    state = 'third';
    expect(await get('a', cheap)).toBe(3);
  });

  test('stays exact after a first count that paid for its connection and plans', async () => {
    await get('a', dear);
    state = 'second';
    expect(await get('a', cheap)).toBe(2);
  });

  test('shares one look at the database with all who come together, or while another look is under way', async () => {
    await get('a', cheap);
    looks = 0;
    await Promise.all(crowd(100, cheap));
    expect(looks).toBe(1);
    const held = Promise.withResolvers<void>();
    look = held.promise;
    const first = get('a', cheap);
    await settle();
    const later = crowd(100, cheap);
    await settle();
    expect(looks).toBe(2);
    held.resolve();
    await Promise.all([first, ...later]);
    expect(looks).toBe(3);
  });

  test('is each audience’s own', async () => {
    await get('a', async () => readingOf(10));
    expect(await get('b', async () => readingOf(20))).toBe(20);
  });
});

describe('an audience that is dear to count', () => {
  beforeEach(async () => {
    await get('a', dear);
    state = 'second';
    expect(await get('a', dear)).toBe(2);
    state = 'third';
    looks = 0;
  });

  test('is served as it was counted, without asking the database anything', async () => {
    nowMs += MAX_AGE_MS / 2;
    expect(await get('a', dear)).toBe(2);
    expect([counted, looks]).toEqual([2, 0]);
  });

  test('is refreshed once before it is too old, and served meanwhile', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(new Set(await Promise.all(crowd(100, dearAndSlow)))).toEqual(new Set([2]));
    await settle();
    expect(counted).toBe(3);
    await finish();
    expect(await get('a', dear)).toBe(3);
  });

  test('is not counted again while nothing is written, unless its filters look at the time', async () => {
    nowMs += MAX_AGE_MS + 1;
    expect(await get('a', timeless)).toBe(3);
    for (let polls = 0; polls < 10; polls++) {
      nowMs += MAX_AGE_MS / 2 + 1;
      expect(await get('a', timeless)).toBe(3);
      await settle();
    }
    nowMs += 10 * MAX_AGE_MS;
    expect(await get('a', timeless)).toBe(3);
    expect(counted).toBe(3);
    state = 'fourth';
    nowMs += MAX_AGE_MS / 2 + 1;
    await get('a', timeless);
    await settle();
    expect(await get('a', timeless)).toBe(4);
  });

  test('is never served older than the maximum age: a hundred readers wait for one fresh count', async () => {
    nowMs += MAX_AGE_MS + 1;
    const readers = crowd(100, dearAndSlow);
    await settle();
    await finish();
    expect(new Set(await Promise.all(readers))).toEqual(new Set([3]));
    expect(counted).toBe(3);
  });

  test('that is too old when its count ends is counted again for who came meanwhile', async () => {
    nowMs += MAX_AGE_MS + 1;
    const first = get('a', dearAndSlow);
    await settle();
    nowMs += MAX_AGE_MS + 1;
    const second = get('a', dearAndSlow);
    await settle();
    await finish();
    expect(await first).toBe(3);
    await finish();
    expect(await second).toBe(4);
  });

  test('is counted in the background only where nobody waits for it', async () => {
    const ways: boolean[] = [];
    const noting = async (inBackground: boolean): Promise<Reading> => {
      ways.push(inBackground);
      return dear();
    };
    nowMs += MAX_AGE_MS / 2 + 1;
    await get('a', noting);
    await settle();
    nowMs += MAX_AGE_MS + 1;
    await get('a', noting);
    expect(ways).toEqual([true, false]);
  });

  test('that fails while it is refreshed is told only when the old one is too old', async () => {
    nowMs += MAX_AGE_MS / 2 + 1;
    expect(await get('a', failing)).toBe(2);
    await settle();
    nowMs += MAX_AGE_MS;
    await expect(get('a', failing)).rejects.toThrow('the database is away');
  });
});

test('an audience that nobody has counted yet is counted once for a hundred readers', async () => {
  const readers = crowd(100, dearAndSlow);
  await settle();
  await finish();
  expect(new Set(await Promise.all(readers))).toEqual(new Set([1]));
});

test('a failed count is told to everybody who waits, and the next reader counts again', async () => {
  for (const result of await Promise.allSettled(crowd(3, failing))) expect(result.status).toBe('rejected');
  expect(await get('a', cheap)).toBe(1);
});

test('of large readings those that were asked for longest ago are forgotten', async () => {
  for (let number = 0; number < 33; number++) await get(`audience ${number}`, large);
  expect(await get('audience 32', large)).toBe(33);
  expect(await get('audience 0', large)).toBe(34);
});
