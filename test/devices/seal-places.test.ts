import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileFilters } from '../../src/audiences/compile.ts';
import { compileBitmap, readBlocks } from '../../src/audiences/compile-blocks.ts';
import { readTargets } from '../../src/audiences/compile-targets.ts';
import { countDevices } from '../../src/audiences/count-devices.ts';
import type { Filter } from '../../src/audiences/filter.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { importDevices } from '../../src/devices/import.ts';
import { seal, type SealLimits } from '../../src/devices/seal.ts';
import { settle } from '../../src/devices/settle.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { observeNothing } from '../../src/observe.ts';
import { parsed } from '../audiences/parsed.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { chunksOf, lineOf, newToken } from './import-lines.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const clock = (): Date => NOON;
const LIMITS: SealLimits = { devicesMin: 100, devicesPerBlock: 50 };

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

async function sealNow(): Promise<number> {
  return seal(db, new AbortController().signal, LIMITS);
}

/** All over the globe, and always the same. */
function place(index: number): { latitude: number; longitude: number } {
  return { latitude: ((index * 37) % 179) - 89.5, longitude: ((index * 101) % 359) - 179.5 };
}

/** Of five devices, two have a place, one has it by GPS, one both, and one none. @returns their ids */
async function importMany(devices: number): Promise<string[]> {
  const lines = Array.from({ length: devices }, (_, index) =>
    lineOf({
      push_token: newToken(),
      ...(index % 5 < 3 && { location: place(index) }),
      ...([2, 3].includes(index % 5) && { sdk_location: place(index + 1) }),
    }),
  );
  await importDevices(db, appId, chunksOf(lines.join('\n')), clock);
  await settle(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
  const rows = await db.selectFrom('devices').select('id').execute();
  return rows.map(({ id }) => id);
}

async function hasBitmap(filters: readonly Filter[]): Promise<boolean> {
  const blocks = await readBlocks(db, appId, []);
  if (blocks === undefined) throw new Error('the app has no blocks');
  const targets = await readTargets(db, appId, filters);
  return compileBitmap(filters, { now: NOON, targets, blocks }) !== undefined;
}

/** Of one snapshot, what each list comes to by bitmaps and by rows. */
async function countBothWays(on: Kysely<Database>): Promise<[byBlocks: number, byRows: number][]> {
  return on
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const counts: [number, number][] = [];
      for (const filters of LISTS) {
        const request = { appId, filters, now: NOON };
        const targets = await readTargets(transaction, appId, filters);
        const { rows } = await sql<{ devices: number }>`
          select count(*) as devices from device_targets as d
          where d.app_id = ${appId} and ${compileFilters(filters, { appId, now: NOON, targets })}`.execute(
          transaction,
        );
        counts.push([await countDevices(transaction, request), rows[0]?.devices ?? 0]);
      }
      return counts;
    });
}

async function expectBothWaysEqual(on: Kysely<Database>): Promise<void> {
  for (const [byBlocks, byRows] of await countBothWays(on)) expect(byBlocks).toBe(byRows);
}

describe('the places of a block', () => {
  test('are counted by bitmaps once it is sealed, each list with some devices and without others', async () => {
    await importMany(200);
    await sealNow();
    for (const filters of LISTS) expect(await hasBitmap(filters)).toBe(true);
    for (const [byBlocks, byRows] of await countBothWays(db)) {
      expect(byBlocks).toBe(byRows);
      expect(byBlocks).toBeGreaterThan(5);
      expect(byBlocks).toBeLessThan(195);
    }
  });

  test('show where the devices are', async () => {
    await importMany(200);
    await sealNow();
    const { rows } = await sql<{ codes: number[] }>`
      select codes from device_blocks where number = 1`.execute(db);
    const { somePlaces } = await readTargets(db, appId, LISTS[0] ?? []);
    expect(somePlaces).toEqual(rows[0]?.codes);
    expect(somePlaces.length).toBeGreaterThan(20);
    expect((await readTargets(db, appId, [])).somePlaces).toEqual([]);
  });

  test('are counted by rows where it was sealed without them, until it is sealed again, alone', async () => {
    await importMany(200);
    await sealNow();
    await sql`update device_blocks set codes = null, latitudes = null, longitudes = null where number = 2`.execute(
      db,
    );
    expect(await readBlocks(db, appId, [])).toEqual({ leftOut: new Set(['places']), events: [] });
    for (const filters of LISTS) expect(await hasBitmap(filters)).toBe(false);
    await expectBothWaysEqual(db);
    expect(await hasBitmap(parsed([{ name: 'badge', criteria: [1] }]))).toBe(true);
    expect(await sealNow()).toBe(50);
    for (const filters of LISTS) expect(await hasBitmap(filters)).toBe(true);
    await expectBothWaysEqual(db);
  });

  test('are none where no device has one', async () => {
    const lines = Array.from({ length: 100 }, () => lineOf({ push_token: newToken() }));
    await importDevices(db, appId, chunksOf(lines.join('\n')), clock);
    await settle(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
    await sealNow();
    const counts = await countBothWays(db);
    expect(counts.map(([byBlocks]) => byBlocks)).toEqual([0, 100, 0, 0]);
    expect(counts.map(([, byRows]) => byRows)).toEqual([0, 100, 0, 0]);
  });

  test('are exact in every snapshot while devices come, move, go and settle, and blocks are sealed', async () => {
    const ids = await importMany(500);
    await sealNow();
    const everyThird = (first: number): string[] => ids.filter((_id, index) => index % 3 === first);
    const pool = connectDatabase({ connectionString: database.url, observe: observeNothing });
    const over = new AbortController();
    let snapshots = 0;
    const until = async (work: () => Promise<unknown>): Promise<void> => {
      while (!over.signal.aborted) await work();
    };
    const beside = [
      until(async () => seal(pool, over.signal, LIMITS)),
      until(async () => settle(pool, over.signal, { pages: 1, pauseMs: 0 })),
      until(async () => {
        await expectBothWaysEqual(pool);
        snapshots++;
      }),
    ];
    // Where one of them fails, the others end.
    const failed = Promise.all(beside).catch((error: unknown) => {
      over.abort();
      throw error;
    });
    try {
      await Promise.race([
        failed,
        Promise.all([
          ...everyThird(0).map(async (id, index) =>
            updateDevice(db, appId, id, { location: place(index * 3 + 7) }, clock),
          ),
          ...everyThird(1).map(async (id, index) =>
            updateDevice(db, appId, id, { sdk_location: index % 2 === 0 ? null : place(index) }, clock),
          ),
          ...everyThird(2).map(async (id) => eraseDevice(db, appId, id, clock)),
          importMany(300),
        ]),
      ]);
    } finally {
      over.abort();
      await Promise.allSettled(beside);
      await pool.destroy();
    }
    await failed;
    expect(snapshots).toBeGreaterThan(1);
    await sealNow();
    await expectBothWaysEqual(db);
  });
});
