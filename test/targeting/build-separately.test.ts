import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBlocks } from '../../src/targeting/bitmaps/blocks.ts';
import type { Database } from '../../src/db/tables.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { parsed } from '../filters/parsed.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  clock,
  countBothWays,
  countDeltas,
  importMany,
  NOON,
  NO_DELTAS,
  recordEvent,
  buildNow,
  secondsFrom,
} from './large-app.ts';
import { tokenKeys } from '../support/token-keys.ts';

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

/** The columns that were built after a snapshot. */
async function columnsBuiltSince(snapshot: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct name from count_bitmap_columns
    where pg_visible_in_snapshot(xmin::text::xid8, ${snapshot}::pg_snapshot) is false
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function currentSnapshot(): Promise<string> {
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
  return rows[0]?.now ?? '';
}

test('a block has only its changed bitmaps built again: registrations, events, tokens, or all', async () => {
  const ids = await importMany(db, appId, 100);
  const later = secondsFrom(NOON);
  for (const id of ids) await recordEvent(db, appId, id, 'open', later);
  await buildNow(db);

  const changes = [
    {
      changed: { ...NO_DELTAS, registrations: 100 },
      change: async (id: string) => updateDevice(db, tokenKeys, appId, id, {}, later),
      columns: ['registered_at'],
    },
    {
      changed: { ...NO_DELTAS, events: 100 },
      change: async (id: string) => recordEvent(db, appId, id, 'open', later),
      columns: ['count of open', 'last of open'],
    },
    {
      changed: { ...NO_DELTAS, tokens: 100 },
      change: async (id: string) =>
        db.updateTable('devices').set({ push_token: null }).where('id', '=', id).execute(),
      columns: [],
    },
    {
      changed: { ...NO_DELTAS, targets: 200, registrations: 100 },
      change: async (id: string) => updateDevice(db, tokenKeys, appId, id, { badge: 7 }, later),
      columns: expect.arrayContaining(['badge', 'count of open', 'last of open', 'registered_at']),
    },
  ];
  for (const { changed, change, columns } of changes) {
    const snapshot = await currentSnapshot();
    for (const id of ids) await change(id);
    expect(await countDeltas(db)).toEqual(changed);
    expect(await columnsBuiltSince(snapshot)).toEqual([]);
    expect(await buildNow(db)).toBe(100);
    expect(await countDeltas(db)).toEqual(NO_DELTAS);
    expect(await columnsBuiltSince(snapshot)).toEqual(columns);
    for (const [byBitmaps, byRows] of await countBothWays(db, appId)) expect(byBitmaps).toEqual(byRows);
  }
});

test('a block has bitmaps of the six events that most of its devices have', async () => {
  const ids = await importMany(db, appId, 100);
  const names = Array.from({ length: 7 }, (_, index) => `event ${index}`);
  for (const [index, name] of names.entries()) {
    for (const id of ids.slice(0, 10 - index)) await recordEvent(db, appId, id, name, clock);
  }
  await buildNow(db, { devicesMin: 100, devicesPerBlock: 1_000 });
  const filters = [...names, 'never'].map((name) => ({ name: `events.${name}`, criteria: [true] }));
  const blocks = await readBlocks(db, appId, parsed(filters));
  expect(blocks?.missing).toEqual(new Set(['event event 6', 'event never']));
  const counts = filters.map(async (filter) =>
    countMatching(db, { appId, filters: parsed([filter]), now: NOON }),
  );
  expect(await Promise.all(counts)).toEqual([10, 9, 8, 7, 6, 5, 4, 0]);
});

test('a block has bitmaps of later events, as long as it has fewer than six', async () => {
  const ids = await importMany(db, appId, 100);
  const buildOne = async (): Promise<number> => buildNow(db, { devicesMin: 100, devicesPerBlock: 1_000 });
  await buildOne();
  const missing = async (names: readonly string[]): Promise<readonly string[]> => {
    const filters = names.map((name) => ({ name: `events.${name}`, criteria: [true] }));
    const blocks = await readBlocks(db, appId, parsed(filters));
    for (const [index, filter] of filters.entries()) {
      const request = { appId, filters: parsed([filter]), now: NOON };
      expect(await countMatching(db, request), filter.name).toBe(index < 7 ? 20 : 0);
    }
    return [...(blocks?.missing ?? [])];
  };
  const names = Array.from({ length: 8 }, (_, index) => `event ${index}`);
  const record = async (some: readonly string[]): Promise<void> => {
    for (const name of some) {
      for (const id of ids.slice(0, 20)) await recordEvent(db, appId, id, name, clock);
    }
  };
  await record(names.slice(0, 5));
  expect(await buildOne()).toBe(100);
  expect(await missing(names.slice(0, 5))).toEqual([]);
  await record(names.slice(5, 7));
  expect(await buildOne()).toBe(100);
  expect(await missing(names)).toEqual(['event event 6', 'event event 7']);
});

test('a block knows of later events for which it has no bitmaps', async () => {
  const ids = await importMany(db, appId, 100);
  const six = Array.from({ length: 6 }, (_, index) => `event ${index}`);
  for (const name of six) await recordEvent(db, appId, ids[0] ?? '', name, clock);
  await buildNow(db, { devicesMin: 100, devicesPerBlock: 1_000 });
  const filters = parsed([{ name: 'events.later', criteria: [true] }]);
  expect((await readBlocks(db, appId, filters))?.missing).toEqual(new Set());
  for (const id of ids.slice(0, 20)) await recordEvent(db, appId, id, 'later', clock);
  expect(await countMatching(db, { appId, filters, now: NOON })).toBe(20);
  expect(await buildNow(db)).toBe(100);
  expect((await readBlocks(db, appId, filters))?.missing).toEqual(new Set(['event later']));
  expect(await countMatching(db, { appId, filters, now: NOON })).toBe(20);
});
