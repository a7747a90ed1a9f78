import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import {
  confidenceZ,
  difference,
  estimate,
  wilson,
} from '../../../src/results/receipts/confidence-interval.ts';
import {
  packReceipts,
  RECEIPT_BYTES,
  unpackReceipts,
} from '../../../src/results/receipts/packed-receipts.ts';
import { openReceipts } from '../../../src/results/receipts/receipts.ts';
import { type AppWithAudience, insertAppWithAudience } from '../../notifications/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { devices, NOW, receiptsOf } from './sent.ts';

const database = useTestDatabase();
const clock = (): Date => NOW;
let app: AppWithAudience;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
});

test('receipts survive packing, at 17 bytes each', () => {
  const receipts = [false, true].flatMap((shown) =>
    [false, true].map((opened) => ({ deviceId: randomUUID(), shown, opened })),
  );
  const packed = packReceipts(receipts);
  expect(packed).toHaveLength(4 * RECEIPT_BYTES);
  expect([...unpackReceipts(packed)]).toEqual(receipts);
});

test('calls at the same time share rows: one per notification, of 5,000 receipts at most', async () => {
  const receipts = openReceipts({ db: database.db, clock });
  const [one, two] = [randomUUID(), randomUUID()];
  await Promise.all([
    ...Array.from({ length: 12 }, async () =>
      receipts.store(app.appId, receiptsOf(one, devices(500).keys())),
    ),
    receipts.store(app.appId, [...receiptsOf(one, devices(1).keys()), ...receiptsOf(two, devices(1).keys())]),
  ]);
  const { rows } = await sql<{ id: string; rows: number; most: number; all: number }>`
    select notification_id as id, count(*) as rows, max(length(receipts)) / 17 as most,
      sum(length(receipts))::bigint / 17 as all
    from receipts_uncounted where notification_id in (${one}, ${two}) group by 1`.execute(database.db);
  const found = new Map(rows.map(({ id, ...counts }) => [id, counts]));
  expect(found.get(one)).toEqual({ rows: 2, most: 5_000, all: 6_001 });
  expect(found.get(two)).toEqual({ rows: 1, most: 1, all: 1 });
});

test('a call is refused whole with Retry-After while too many wait, and later calls are stored', async () => {
  const receipts = openReceipts({ db: database.db, clock, waitingMax: 10 });
  const id = randomUUID();
  const first = receipts.store(app.appId, receiptsOf(id, devices(8).keys()));
  await expect(receipts.store(app.appId, receiptsOf(id, devices(3).keys()))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 10,
  });
  await first;
  await receipts.store(app.appId, receiptsOf(id, devices(10).keys()));
  const { rows } = await sql<{ all: number }>`
    select sum(length(receipts))::bigint / 17 as all from receipts_uncounted where notification_id = ${id}`.execute(
    database.db,
  );
  expect(rows).toEqual([{ all: 18 }]);
});

test('a statement that fails refuses all of its calls, and they wait no longer', async () => {
  const receipts = openReceipts({ db: database.db, clock, waitingMax: 10 });
  const unknownApp = randomUUID();
  const id = randomUUID();
  for (let round = 0; round < 2; round++) {
    await expect(receipts.store(unknownApp, receiptsOf(id, devices(8).keys()))).rejects.toThrow(
      'foreign key',
    );
  }
});

test.each([
  // Published values of Wilson's interval without continuity correction, for a sample that is small against the population.
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('the interval of %i of %i is right: %d to %d', (found, asked, low, high) => {
  const interval = estimate(found, asked, 1e12);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

function widthFor(population: number): number {
  const { low, high } = estimate(800, 1_000, population);
  return high - low;
}

test('the interval narrows as the sample nears the population, to nothing if everyone was asked', () => {
  expect(widthFor(1_000)).toBe(0);
  expect(widthFor(1_010)).toBeLessThan(widthFor(2_000) / 5);
  expect(widthFor(2_000)).toBeLessThan(widthFor(1e9));
});

test('the interval contains the true share in 95% of samples', () => {
  // A generator with a fixed seed, so that the test does the same each time.
  let state = 20_261_124;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const [population, received, sample] = [2_000, 1_700, 0.3];
  let contained = 0;
  const rounds = 1_000;
  for (let round = 0; round < rounds; round++) {
    let [asked, found] = [0, 0];
    for (let device = 0; device < population; device++) {
      if (random() >= sample) continue;
      asked += 1;
      if (device < received) found += 1;
    }
    const { low, high } = estimate(found, asked, population);
    if (low <= received / population && received / population <= high) contained += 1;
  }
  expect(contained / rounds).toBeGreaterThan(0.93);
  expect(contained / rounds).toBeLessThan(0.97);
});

// Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
])(
  'the interval of the difference between %i of %i and %i of %i is right',
  (found, asked, otherFound, otherAsked, low, high) => {
    const interval = difference({ devices: found, of: asked }, { devices: otherFound, of: otherAsked });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  },
);

test('intervals that are to hold together are wider, and an interval of everyone still has an error', () => {
  for (let comparisons = 2; comparisons <= 7; comparisons++) {
    expect(confidenceZ(comparisons)).toBeGreaterThan(confidenceZ(comparisons - 1));
  }
  const alone = wilson(50, 100);
  const together = wilson(50, 100, confidenceZ(7));
  expect(together.high - together.low).toBeGreaterThan(alone.high - alone.low);
  expect(alone.low).toBeCloseTo(0.4038, 4);
});
