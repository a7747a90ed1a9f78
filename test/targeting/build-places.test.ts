import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readBlocks } from '../../src/targeting/bitmaps/blocks.ts';
import { compileBitmap } from '../../src/targeting/bitmaps/compile-bitmaps.ts';
import { readPlaceSample } from '../../src/targeting/bitmaps/places/compile-places.ts';
import { readColumnMap } from '../../src/targeting/rows/column-map.ts';
import type { Filter } from '../../src/filters/filter.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { parsed } from '../filters/parsed.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { chunksOf, lineOf, newToken } from '../devices/import/lines.ts';
import {
  clock,
  countBothWays,
  exactWhile,
  expectBothWaysEqual,
  NOON,
  buildNow,
  someAtATime,
} from './large-app.ts';
import { tokenKeys } from '../support/token-keys.ts';

const square = [
  { latitude: -40, longitude: 100 },
  { latitude: -40, longitude: -100 },
  { latitude: 40, longitude: -100 },
  { latitude: 40, longitude: 100 },
];
const LISTS = [
  [{ name: 'location', criteria: [{ point: { latitude: 10, longitude: 20 }, distance: 4_000, unit: 'km' }] }],
  [{ name: 'location', criteria: [{ polygon: square }], not_filter: true }],
  [{ name: 'sdk_location', criteria: [{ polygon: square }] }],
  [
    { name: 'location', criteria: [{ polygon: square }] },
    { name: 'sdk_location', criteria: [{ polygon: square }], not_filter: true },
  ],
].map((list) => parsed(list));

let database: TestDatabase;
let db: Kysely<Database>;
let appId: string;
beforeEach(async () => {
  database = await openTestDatabase();
  ({ db } = database);
  appId = (await insertApp(db)).id;
});
afterEach(async () => {
  await database.close();
});

/** A location anywhere on the globe, always the same for an index. */
function place(index: number): { latitude: number; longitude: number } {
  return { latitude: ((index * 37) % 179) - 89.5, longitude: ((index * 101) % 359) - 179.5 };
}

/** Of five devices, two have a location, one has it by GPS, one has both, and one has none. @returns the ids */
async function importMany(devices: number): Promise<string[]> {
  const lines = Array.from({ length: devices }, (_, index) =>
    lineOf({
      push_token: newToken(),
      ...(index % 5 < 3 && { location: place(index) }),
      ...([2, 3].includes(index % 5) && { sdk_location: place(index + 1) }),
    }),
  );
  await importDevices(db, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
  await indexDeferredRows(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
  const rows = await db.selectFrom('devices').select('id').execute();
  return rows.map(({ id }) => id);
}

async function hasBitmap(filters: readonly Filter[]): Promise<boolean> {
  const blocks = await readBlocks(db, appId, filters);
  if (blocks === undefined) throw new Error('the app has no blocks');
  const columns = await readColumnMap(db, appId, filters);
  const placeSample = await readPlaceSample(db, appId, filters);
  return compileBitmap(filters, { now: NOON, columns, blocks, placeSample }) !== undefined;
}

describe('locations in bitmaps', () => {
  test('filters on places are answered by bitmaps of locations once the blocks are built', async () => {
    await importMany(200);
    await buildNow(db);
    for (const filters of LISTS) expect(await hasBitmap(filters)).toBe(true);
    for (const [byBitmaps, byRows] of await countBothWays(db, appId, LISTS)) {
      expect(byBitmaps).toEqual(byRows);
      expect(byBitmaps?.devices).toBeGreaterThan(5);
      expect(byBitmaps?.devices).toBeLessThan(195);
    }
  });

  test('bitmaps of locations are sampled by their place codes', async () => {
    await importMany(200);
    await buildNow(db);
    const { rows } = await sql<{ place_codes: number[] }>`
      select place_codes from count_bitmap_blocks where number = 1`.execute(db);
    const sample = await readPlaceSample(db, appId, LISTS[0] ?? []);
    expect(sample).toEqual(rows[0]?.place_codes);
    expect(sample.length).toBeGreaterThan(20);
    expect(await readPlaceSample(db, appId, [])).toEqual([]);
  });

  test('bitmaps of locations are empty where no device has one', async () => {
    const lines = Array.from({ length: 100 }, () => lineOf({ push_token: newToken() }));
    await importDevices(db, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
    await indexDeferredRows(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
    await buildNow(db);
    const counts = await countBothWays(db, appId, LISTS);
    const all = [0, 100, 0, 0].map((devices) => ({ devices, reachable: devices }));
    expect(counts.map(([byBitmaps]) => byBitmaps)).toEqual(all);
    expect(counts.map(([, byRows]) => byRows)).toEqual(all);
  });

  test('locations are counted exactly in every snapshot while devices change and blocks are built', async () => {
    const ids = await importMany(500);
    await buildNow(db);
    const calls = ids.map((id, index) => async (): Promise<unknown> => {
      if (index % 3 === 2) return eraseDevice(db, appId, id, clock);
      const sdkLocation = index % 2 === 0 ? null : place(index);
      const change = index % 3 === 0 ? { location: place(index + 7) } : { sdk_location: sdkLocation };
      return updateDevice(db, tokenKeys, appId, id, change, clock);
    });
    const work = async (): Promise<unknown> => Promise.all([someAtATime(calls), importMany(300)]);
    await exactWhile(database, appId, work, LISTS);
    await buildNow(db);
    await expectBothWaysEqual(db, appId, LISTS);
  });
});
