import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import {
  countUnindexedPages,
  findFirstUnindexedPage,
  indexDeferredRows,
  indexDeferredRowsJob,
  type IndexLimits,
  moveUnindexedRows,
} from '../../src/targeting/rows/index-deferred.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { observeNothing } from '../../src/observe.ts';
import { parsed } from '../filters/parsed.ts';
import { countMatching } from '../support/audiences.ts';
import { collectObservations, insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { untilWaiting } from '../support/statements.ts';
import { chunksOf, lineOf } from '../devices/import/lines.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { PATIENCE } from '../support/patience.ts';
import { someAtATime } from './large-app.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const clock = (): Date => NOON;
const LIMITS: IndexLimits = { pages: 2, pauseMs: 0 };
/** More devices than it takes for rows to be stored unindexed; they fill several pages. */
const MANY = 600;

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

async function importLines(lines: readonly string[]): Promise<void> {
  await importDevices(db, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
}

/** Some devices have versions and tags. @returns the ids, in the order of the lines */
async function importMany(count = MANY): Promise<string[]> {
  const tokens = Array.from({ length: count }, newToken);
  const lines = tokens.map((push_token, index) => {
    const custom = { number: { type: 'integer', value: index } };
    const tags = index % 2 === 0 ? ['even'] : [];
    return lineOf({ push_token, app_version: `1.${index % 3}`, tags, custom });
  });
  await importLines(lines);
  const rows = await db.selectFrom('devices').select(['id', 'push_token']).execute();
  const ids = new Map(rows.map(({ id, push_token }) => [push_token, id]));
  return tokens.map((token) => ids.get(token) ?? '');
}

async function countBy(filters: unknown[]): Promise<number> {
  return countMatching(db, { appId, filters: parsed(filters), now: NOON });
}

async function indexNow(): Promise<number> {
  return indexDeferredRows(db, new AbortController().signal, LIMITS);
}

async function countUnindexed(): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    select count(*) as devices from device_targets_unindexed`.execute(db);
  return rows[0]?.devices ?? 0;
}

/** Devices without a targeting row or with two, targeting rows without a device, and rows that differ from their device. */
async function findFaults(): Promise<unknown[]> {
  const { rows } = await sql`
    select d.id as device, t.id as target
    from devices as d
    full join device_targets as t on t.app_id = d.app_id and t.id = d.id
    where (d.badge, d.app_version, to_jsonb(nullif(d.tags, '{}')), d.custom -> 'number' ->> 'value')
      is distinct from (t.badge, t.app_version, t.tags, t.whole_1::text)
      or (d.id is null) <> (t.id is null)
    union all
    select null, id from device_targets group by app_id, id having count(*) > 1`.execute(db);
  return rows;
}

describe('devices of an import', () => {
  const lists: [what: string, filters: unknown[], devices: number][] = [
    ['everyone', [{ name: 'tags', criteria: ['odd'], not_filter: true }], MANY + 1],
    ['a tag', [{ name: 'tags', criteria: ['even'] }], MANY / 2],
    ['versions', [{ name: 'app_version', criteria: [{ gte: '1.1' }] }], (MANY / 3) * 2 + 1],
    ['a number', [{ name: 'custom.integer.number', criteria: [{ lt: 100 }] }], 100],
    ['an attribute that they lack', [{ name: 'locale', criteria: ['en_GB'], not_filter: true }], MANY],
  ];

  test('devices of an import are counted the same before, during and after the indexing of their rows', async () => {
    await importMany();
    await importLines([lineOf({ app_version: '2', locale: 'en_GB' })]);
    expect(await countUnindexed()).toBe(MANY);
    const countAll = async (): Promise<unknown> =>
      Promise.all(lists.map(async ([what, filters]) => [what, await countBy(filters)]));
    const expected = lists.map(([what, , devices]) => [what, devices]);
    expect(await countAll()).toEqual(expected);

    const stop = new AbortController();
    const indexing = indexDeferredRows(db, stop.signal, { ...LIMITS, pauseMs: 60_000 });
    await vi.waitFor(async () => expect(await countUnindexed()).toBeLessThan(MANY), PATIENCE);
    stop.abort();
    const moved = await indexing;
    expect(await countUnindexed()).toBe(MANY - moved);
    expect(await findFirstUnindexedPage(db)).toBeGreaterThanOrEqual(LIMITS.pages);
    expect(await countAll()).toEqual(expected);

    expect(await indexNow()).toBe(MANY - moved);
    expect(await countUnindexed()).toBe(0);
    expect(await countAll()).toEqual(expected);
    expect(await findFaults()).toEqual([]);
  });

  test('devices of an import leave no page to scan after their rows are indexed', async () => {
    await importMany();
    expect(await countUnindexedPages(db)).toBeGreaterThan(1);
    // Postgres' autovacuum may be running.
    await vi.waitFor(async () => {
      await indexNow();
      expect(await countUnindexedPages(db)).toBe(0);
    }, PATIENCE);
  });

  test('devices of an import leave no page to scan where autovacuum ran before the last rows were indexed', async () => {
    await importMany(6_000);
    const pages = await countUnindexedPages(db);
    expect(pages).toBeGreaterThan(100); // so that one page is less than autovacuum's threshold for cleaning indexes
    await moveUnindexedRows(db, 0, pages - 1);
    await sql`vacuum (index_cleanup on) device_targets_unindexed`.execute(db);
    expect(await countUnindexedPages(db)).toBe(pages);

    expect(await indexNow()).toBeGreaterThan(0);
    expect(await countUnindexed()).toBe(0);
    await vi.waitFor(async () => {
      await indexNow();
      expect(await countUnindexedPages(db)).toBe(0);
    }, PATIENCE);
  });

  test('devices of an import are stored unindexed also where known devices change, except a few at a time', async () => {
    const tokens = Array.from({ length: MANY }, newToken);
    await importLines(tokens.map((push_token) => lineOf({ push_token })));
    expect(await indexNow()).toBe(MANY);
    const changed = tokens.map((push_token) => lineOf({ push_token, badge: 1 }));
    await importLines(changed.slice(0, 100));
    expect(await countUnindexed()).toBe(0);
    await importLines(changed);
    expect(await countUnindexed()).toBe(MANY - 100);
    expect(await indexNow()).toBe(MANY - 100);
    expect(await findFaults()).toEqual([]);
  });

  test('devices of an import are indexed immediately while the unindexed rows have reached their limit', async () => {
    await sql`create function public.pg_relation_size(regclass) returns bigint return 400 * 1024 * 1024`.execute(
      db,
    );
    // Otherwise Postgres' own function of that name is found first.
    const options = `?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`;
    const full = connectDatabase({ connectionString: database.url + options, observe: observeNothing });
    try {
      const lines = Array.from({ length: MANY }, () => lineOf({ badge: 1 }));
      await importDevices(full, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
    } finally {
      await full.destroy();
    }
    expect(await countUnindexed()).toBe(0);
    expect(await findFaults()).toEqual([]);
  });
});

describe('during the indexing', () => {
  test('registrations, imports and erasures leave each device with one targeting row that equals it', async () => {
    const ids = await importMany(1_200);
    const everyThird = (first: number): string[] => ids.filter((_id, index) => index % 3 === first);
    const tokens = await db
      .selectFrom('devices')
      .select('push_token')
      .where('id', 'in', everyThird(0))
      .execute();
    // A pool of its own: in the queue of the other one, its statements would come last.
    const pool = connectDatabase({ connectionString: database.url, observe: observeNothing });
    const over = new AbortController();
    const indexAll = async (): Promise<void> => {
      while (!over.signal.aborted) await indexDeferredRows(pool, over.signal, { pages: 1, pauseMs: 0 });
    };
    const indexers = [indexAll(), indexAll()];
    const hasStarted = async (): Promise<void> => expect(await countUnindexed()).toBeLessThan(ids.length);
    const change = async (badge: number): Promise<void> =>
      importLines(tokens.map(({ push_token }) => lineOf({ push_token, badge })));
    try {
      await vi.waitFor(hasStarted, { interval: 1, timeout: 30_000 });
      const updates = everyThird(1).map((id, badge) => async () => {
        await updateDevice(db, tokenKeys, appId, id, { badge }, clock);
      });
      const erasures = everyThird(2).map((id) => async () => {
        await eraseDevice(db, appId, id, clock);
      });
      await Promise.all([
        someAtATime(updates),
        someAtATime(erasures),
        change(1).then(async () => change(2)),
        importMany(),
      ]);
      over.abort();
      await Promise.all(indexers);
    } finally {
      over.abort();
      await Promise.allSettled(indexers);
      await pool.destroy();
    }
    await indexNow();
    expect(await countUnindexed()).toBe(0);
    expect(await findFaults()).toEqual([]);
    expect(await countMatching(db, { appId, filters: [], now: NOON })).toBe(800 + MANY);
  });

  test('an update and an erasure find a row that is being moved', async () => {
    const [blocked = '', updated = '', erased = ''] = await importMany();
    let indexing: Promise<number> | undefined;
    let calls: Promise<unknown>[] = [];
    const transaction = db.transaction().execute(async (trx) => {
      // A second row of that key: the move waits for it, with rows already moved.
      await sql`
        insert into device_targets select * from device_targets_unindexed where id = ${blocked}`.execute(trx);
      indexing = indexDeferredRows(db, new AbortController().signal, { ...LIMITS, pages: 1_000 });
      await untilWaiting(db);
      calls = [
        updateDevice(db, tokenKeys, appId, updated, { badge: 7 }, clock),
        eraseDevice(db, appId, erased, clock),
      ];
      await untilWaiting(db, 3);
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    expect(await indexing).toBe(MANY);
    await Promise.all(calls);
    expect(await findFaults()).toEqual([]);
    const { rows } = await sql`select badge from device_targets where id = ${updated}`.execute(db);
    expect(rows).toEqual([{ badge: 7 }]);
  });

  test('a row that an erasure has locked is left for the next run', async () => {
    const [erased = ''] = await importMany();
    const transaction = db.transaction().execute(async (trx) => {
      await trx.deleteFrom('devices').where('id', '=', erased).execute();
      expect(await indexNow()).toBe(MANY - 1);
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    expect(await indexNow()).toBe(1);
  });

  test('no row is moved while an import holds the lock', async () => {
    await importMany();
    await db.transaction().execute(async (trx) => {
      const row = { app_id: appId, platform: 'iOS' as const, created_at: NOON, registered_at: NOON };
      const rows = Array.from({ length: MANY }, () => ({ ...row, id: crypto.randomUUID(), custom: '{}' }));
      await trx.insertInto('devices').values(rows).execute();
      expect(await indexNow()).toBe(0);
    });
    expect(await indexNow()).toBe(2 * MANY);
  });
});

test('the job indexes deferred rows every 15 seconds, and reports their number', async () => {
  await importMany();
  const { observe, seen } = collectObservations();
  const job = indexDeferredRowsJob(db, observe);
  expect(job).toMatchObject({ name: 'index-deferred-rows', everyMs: 15_000 });
  await job.run(new AbortController().signal);
  await job.run(new AbortController().signal);
  expect(seen).toEqual([{ kind: 'deferred_rows_indexed', devices: MANY }]);
});
