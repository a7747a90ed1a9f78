import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blocksAreUnchanged, readBlocks } from '../../src/targeting/bitmaps/blocks.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { addEventTallies } from '../../src/devices/events/record-events.ts';
import { buildBitmapsJob } from '../../src/targeting/bitmaps/build.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { indexDeferredRows } from '../../src/targeting/rows/index-deferred.ts';
import { updateDevice } from '../../src/devices/update.ts';
import type { PeriodicJob } from '../../src/scheduling/periodically.ts';
import { chunksOf, lineOf } from '../devices/import/lines.ts';
import { parsed } from '../filters/parsed.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { untilWaiting } from '../support/statements.ts';
import {
  clock,
  countBothWays,
  countDeltas,
  exactWhile,
  someAtATime,
  expectBothWaysEqual,
  importMany,
  LIMITS,
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

describe('an app with many devices', () => {
  test('an app is counted by bitmaps once all of its blocks are built', async () => {
    await importMany(db, appId, LIMITS.devicesMin - 1);
    expect(await buildNow(db)).toBe(0);
    await importMany(db, appId, 1);
    expect(await readBlocks(db, appId, [])).toBeUndefined();
    expect(await buildNow(db)).toBe(LIMITS.devicesMin);
    expect(await readBlocks(db, appId, [])).toMatchObject({ missing: new Set(), events: [] });
    expect(await buildNow(db)).toBe(0);
  });

  test('an app is not counted by blocks that have changed since they were read', async () => {
    await importMany(db, appId, LIMITS.devicesMin);
    await buildNow(db);
    const blocks = await readBlocks(db, appId, []);
    if (blocks === undefined) throw new Error('the app has no blocks');
    const isUnchanged = async (): Promise<unknown> => {
      const { rows } = await sql<{ is: unknown }>`select ${blocksAreUnchanged(appId, blocks)} as is`.execute(
        db,
      );
      return rows[0]?.is;
    };
    expect(await isUnchanged()).toBe(true);
    await sql`update count_bitmap_blocks set without_bitmaps = '{locale}' where number = 2`.execute(db);
    expect(await isUnchanged()).toBe(false);
    await sql`delete from count_bitmap_blocks where number = 2`.execute(db);
    expect(await isUnchanged()).toBeNull();
  });

  test('an app has only those blocks built again in which many devices have changed', async () => {
    const ids = await importMany(db, appId, 400);
    await buildNow(db, { devicesMin: 100, devicesPerBlock: 100 });
    const { rows } = await sql<{
      next: string;
    }>`select first_ids[2] as next from count_bitmap_layouts`.execute(db);
    const early = ids.filter((id) => id < (rows[0]?.next ?? ''));
    expect(early).toHaveLength(100);
    await updateDevice(db, tokenKeys, appId, early[0] ?? '', { badge: 5 }, clock);
    expect(await buildNow(db)).toBe(0);
    for (const id of early) await updateDevice(db, tokenKeys, appId, id, { badge: 6 }, clock);
    expect(await buildNow(db)).toBe(early.length);
    expect(await countDeltas(db)).toEqual(NO_DELTAS);
  });

  test('an app is divided again where a block has too many devices', async () => {
    await importMany(db, appId, 150);
    await buildNow(db);
    // More rows than a block can have, all in the first one.
    await sql`
      insert into device_targets (app_id, id, created_at, on_ios, development, gps, notifications_allowed)
      select ${appId}, lpad(to_hex(number), 32, '0')::uuid, now(), true, false, false, 'Unknown'
      from generate_series(1, 32768) as number`.execute(db);
    await buildNow(db);
    expect(await readBlocks(db, appId, [])).toBeUndefined();
    expect(await countDeltas(db)).toEqual(NO_DELTAS);
  });

  test('an app has no bitmaps of texts with too many values, and is counted by rows for them', async () => {
    await importMany(db, appId, 100);
    await sql`
      insert into device_targets (app_id, id, created_at, on_ios, development, gps, notifications_allowed, locale, tags)
      select ${appId}, gen_random_uuid(), now(), true, false, false, 'Unknown', 'l' || n, jsonb_build_array('t' || n)
      from generate_series(1, 8200) as n`.execute(db);
    await buildNow(db, { devicesMin: 100, devicesPerBlock: 10_000 });
    expect(await readBlocks(db, appId, [])).toMatchObject({
      missing: new Set(['locale', 'tags']),
      events: [],
    });
    const count = async (name: string, criteria: string[]): Promise<number> =>
      countMatching(db, { appId, filters: parsed([{ name, criteria }]), now: NOON });
    expect(await count('locale', ['l7', 'l8200', 'l8201'])).toBe(2);
    expect(await count('tags', ['t7', 't8', 'even'])).toBe(52);
  });

  test('an app keeps no data of an erased device, in bitmaps or deltas, after the next run', async () => {
    const [erased = ''] = await importMany(db, appId, 100);
    await updateDevice(db, tokenKeys, appId, erased, { country: 'Nowhere', tags: ['only here'] }, clock);
    await recordEvent(db, appId, erased, 'only here', clock);
    await buildNow(db);
    const traces = async (): Promise<number> => {
      const { rows } = await sql`
        select from count_bitmap_columns where 'Nowhere' = any(texts) or name like '%only here'
        union all select from count_bitmap_lists where value = 'only here'
        union all select from count_bitmap_blocks where ${erased} = any(ids)`.execute(db);
      return rows.length;
    };
    expect(await traces()).toBe(5);
    await eraseDevice(db, appId, erased, clock);
    expect(await countDeltas(db)).toEqual({ targets: 1, registrations: 1, events: 1, tokens: 0 });
    await buildNow(db);
    expect(await countDeltas(db)).toEqual(NO_DELTAS);
    expect(await traces()).toBe(0);
  });
});

async function setToken(id: string, pushToken: string | null): Promise<void> {
  await db.updateTable('devices').set({ push_token: pushToken }).where('id', '=', id).execute();
}

describe('while devices are added, changed, erased and indexed', () => {
  test('every count is exact in every snapshot while devices change and blocks are built', async () => {
    const ids = await importMany(db, appId, 600);
    const later = secondsFrom(NOON);
    for (const id of ids.slice(0, 200)) await recordEvent(db, appId, id, 'open', later);
    for (const id of ids.slice(0, 50)) await setToken(id, null);
    await buildNow(db);
    const calls = ids.flatMap((id, index) => {
      if (index % 3 === 2) return [async () => eraseDevice(db, appId, id, clock)];
      return [
        async () => updateDevice(db, tokenKeys, appId, id, index % 3 === 1 ? { badge: index } : {}, later),
        async () => recordEvent(db, appId, id, index % 4 < 3 ? 'open' : 'buy', later),
        // A quarter of the 400 that stay lose their token; the others have one again.
        async () => setToken(id, index % 4 === 0 ? null : `again ${id}`),
      ];
    });
    await exactWhile(database, appId, async () =>
      Promise.all([
        someAtATime(calls),
        importMany(db, appId, 300).then(async () => importMany(db, appId, 300)),
      ]),
    );
    await expectBothWaysEqual(db, appId);
    const filters = parsed(['open', 'buy'].map((name) => ({ name: `events.${name}`, criteria: [true] })));
    expect((await readBlocks(db, appId, filters))?.missing).toEqual(new Set());
    await buildNow(db);
    const [everyone] = await countBothWays(db, appId);
    const counted = { devices: 1_000, reachable: 900 };
    expect(everyone).toEqual([counted, counted]);
  });

  test.each([
    {
      who: 'changes a device',
      write: async (trx: Kysely<Database>, id: string) =>
        sql`update devices set badge = badge + 9 where id = ${id}`.execute(trx),
    },
    {
      who: 'retires a token',
      write: async (trx: Kysely<Database>, id: string) =>
        sql`update devices set push_token = case when push_token is null then 'again' end where id = ${id}`.execute(
          trx,
        ),
    },
    {
      who: 'records an event',
      write: async (trx: Kysely<Database>, id: string) =>
        addEventTallies(
          trx,
          appId,
          [id],
          [{ name: 'open', count: 1, firstHappenedAt: NOON, lastHappenedAt: NOON }],
        ),
    },
  ])(
    'a new layout waits for a writer that $who and has not seen it, and misses no change',
    async ({ write }) => {
      const [changed = ''] = await importMany(db, appId, 100);
      let building: Promise<number> | undefined;
      await db.transaction().execute(async (trx) => {
        await write(trx, changed);
        building = buildNow(db);
        await untilWaiting(db);
      });
      expect(await building).toBe(100);
      await expectBothWaysEqual(db, appId);
      await write(db, changed);
      expect(await countDeltas(db)).not.toEqual(NO_DELTAS);
      await expectBothWaysEqual(db, appId);
    },
  );
});

describe('the job', () => {
  let minutes = 0;
  let isSendingBulk = false;
  const built: number[] = [];
  let job: PeriodicJob;
  let run: () => Promise<number[]>;

  beforeEach(() => {
    minutes = 0;
    isSendingBulk = false;
    job = buildBitmapsJob({
      db,
      clock: () => new Date(NOON.getTime() + minutes * 60_000),
      observe: (observation) => {
        if (observation.kind === 'bitmaps_built') built.push(observation.devices);
      },
      isSendingBulk: async () => Promise.resolve(isSendingBulk),
      limits: LIMITS,
    });
    run = async () => {
      await job.run(new AbortController().signal);
      return built.splice(0);
    };
  });

  test('the job builds the blocks that are due every half minute, and reports the number of their devices', async () => {
    await importMany(db, appId, 100);
    expect(job).toMatchObject({ name: 'build-count-bitmaps', everyMs: 30_000 });
    expect(await run()).toEqual([100]);
    expect(await run()).toEqual([]);
  });

  test('the job waits until no bulk notification is being sent', async () => {
    await importMany(db, appId, 100);
    isSendingBulk = true;
    expect(await run()).toEqual([]);
    minutes = 9;
    expect(await run()).toEqual([]);
    isSendingBulk = false;
    expect(await run()).toEqual([100]);
  });

  test('the job waits ten minutes at most, then builds every block, and waits again', async () => {
    await importMany(db, appId, 100);
    isSendingBulk = true;
    expect(await run()).toEqual([]);
    minutes = 10;
    expect(await run()).toEqual([100]);
    await sql`delete from count_bitmap_blocks`.execute(db);
    expect(await run()).toEqual([]);
    minutes = 19;
    expect(await run()).toEqual([]);
    minutes = 20;
    expect(await run()).toEqual([100]);
  });

  test('the job waits for rows of an import that are not indexed yet', async () => {
    await importMany(db, appId, 100);
    const more = Array.from({ length: 200 }, () => lineOf({ push_token: newToken() }));
    await importDevices(db, tokenKeys, appId, chunksOf(more.join('\n')), clock);
    expect(await run()).toEqual([]);
    await indexDeferredRows(db, new AbortController().signal);
    expect(await run()).toEqual([300]);
  });
});
