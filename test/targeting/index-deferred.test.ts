import { EventEmitter, once } from 'node:events';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import {
  indexDeferredRowsJob,
  indexDeferredRows,
  type IndexLimits,
} from '../../src/targeting/rows/index-deferred.ts';
import {
  countUnindexedPages,
  findFirstUnindexedPage,
  moveUnindexedRows,
} from '../../src/targeting/rows/index-deferred-store.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { startPeriodicTimers } from '../../src/queue/periodic-jobs.ts';
import { parsed } from '../filters/parsed.ts';
import { countMatching } from '../support/audiences.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { untilWaiting } from '../support/statements.ts';
import { chunksOf, lineOf, newToken } from '../devices/import/lines.ts';
import { tokenKeys } from '../support/token-keys.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const clock = (): Date => NOON;
const LIMITS: IndexLimits = { pages: 2, pauseMs: 0 };
/** Far more than make fresh rows, on some pages. */
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

/** With versions and tags for some. @returns their ids, in the order of the lines */
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

async function settleNow(): Promise<number> {
  return indexDeferredRows(db, new AbortController().signal, LIMITS);
}

async function countFresh(): Promise<number> {
  const { rows } = await sql<{ devices: number }>`
    select count(*) as devices from device_targets_unindexed`.execute(db);
  return rows[0]?.devices ?? 0;
}

/** Devices without a narrow row or with two, narrow rows without a device, and those that do not say what it says. */
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

describe('devices that come many at a time', () => {
  const lists: [what: string, filters: unknown[], devices: number][] = [
    ['everyone', [{ name: 'tags', criteria: ['odd'], not_filter: true }], MANY + 1],
    ['a tag', [{ name: 'tags', criteria: ['even'] }], MANY / 2],
    ['versions', [{ name: 'app_version', criteria: [{ gte: '1.1' }] }], (MANY / 3) * 2 + 1],
    ['a number', [{ name: 'custom.integer.number', criteria: [{ lt: 100 }] }], 100],
    ['what they lack', [{ name: 'locale', criteria: ['en_GB'], not_filter: true }], MANY],
  ];

  test('are counted the same before they are settled, half-way and afterwards', async () => {
    await importMany();
    await importLines([lineOf({ app_version: '2', locale: 'en_GB' })]);
    expect(await countFresh()).toBe(MANY);
    const countAll = async (): Promise<unknown> =>
      Promise.all(lists.map(async ([what, filters]) => [what, await countBy(filters)]));
    const expected = lists.map(([what, , devices]) => [what, devices]);
    expect(await countAll()).toEqual(expected);

    const stop = new AbortController();
    const settling = indexDeferredRows(db, stop.signal, { ...LIMITS, pauseMs: 60_000 });
    await vi.waitFor(async () => expect(await countFresh()).toBeLessThan(MANY));
    stop.abort();
    const moved = await settling;
    expect(await countFresh()).toBe(MANY - moved);
    expect(await findFirstUnindexedPage(db)).toBeGreaterThanOrEqual(LIMITS.pages);
    expect(await countAll()).toEqual(expected);

    expect(await settleNow()).toBe(MANY - moved);
    expect(await countFresh()).toBe(0);
    expect(await countAll()).toEqual(expected);
    expect(await findFaults()).toEqual([]);
  });

  test('leave nothing to be scanned once they are settled', async () => {
    await importMany();
    expect(await countUnindexedPages(db)).toBeGreaterThan(1);
    // A vacuum of Postgres' own may be at it.
    await vi.waitFor(async () => {
      await settleNow();
      expect(await countUnindexedPages(db)).toBe(0);
    });
  });

  test("leave nothing to be scanned where Postgres' own vacuum came before the last of them", async () => {
    await importMany(6_000);
    const pages = await countUnindexedPages(db);
    expect(pages).toBeGreaterThan(100); // so that one of them is less than what Postgres takes the trouble for
    await moveUnindexedRows(db, 0, pages - 1);
    await sql`vacuum (index_cleanup on) device_targets_unindexed`.execute(db);
    expect(await countUnindexedPages(db)).toBe(pages);

    expect(await settleNow()).toBeGreaterThan(0);
    expect(await countFresh()).toBe(0);
    await vi.waitFor(async () => {
      await settleNow();
      expect(await countUnindexedPages(db)).toBe(0);
    });
  });

  test('are fresh too where they were known, and few are not', async () => {
    const tokens = Array.from({ length: MANY }, newToken);
    await importLines(tokens.map((push_token) => lineOf({ push_token })));
    expect(await settleNow()).toBe(MANY);
    const changed = tokens.map((push_token) => lineOf({ push_token, badge: 1 }));
    await importLines(changed.slice(0, 100));
    expect(await countFresh()).toBe(0);
    await importLines(changed);
    expect(await countFresh()).toBe(MANY - 100);
    expect(await settleNow()).toBe(MANY - 100);
    expect(await findFaults()).toEqual([]);
  });

  test('are settled at once while as many are fresh as a count may scan', async () => {
    await sql`create function public.pg_relation_size(regclass) returns bigint return 400 * 1024 * 1024`.execute(
      db,
    );
    // Else a function of Postgres comes before one of that name.
    const options = `?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`;
    const full = connectDatabase({ connectionString: database.url + options, observe: observeNothing });
    try {
      const lines = Array.from({ length: MANY }, () => lineOf({ badge: 1 }));
      await importDevices(full, tokenKeys, appId, chunksOf(lines.join('\n')), clock);
    } finally {
      await full.destroy();
    }
    expect(await countFresh()).toBe(0);
    expect(await findFaults()).toEqual([]);
  });
});

describe('at the same time as', () => {
  test('registrations, imports and erasures, every device keeps one narrow row, which says what it says', async () => {
    const ids = await importMany(1_200);
    const everyThird = (first: number): string[] => ids.filter((_id, index) => index % 3 === first);
    const tokens = await db
      .selectFrom('devices')
      .select('push_token')
      .where('id', 'in', everyThird(0))
      .execute();
    // Of its own, for in the other's queue they would come last.
    const pool = connectDatabase({ connectionString: database.url, observe: observeNothing });
    const over = new AbortController();
    const move = async (): Promise<void> => {
      while (!over.signal.aborted) await indexDeferredRows(pool, over.signal, { pages: 1, pauseMs: 0 });
    };
    const movers = [move(), move()];
    const underWay = async (): Promise<void> => expect(await countFresh()).toBeLessThan(ids.length);
    const change = async (badge: number): Promise<void> =>
      importLines(tokens.map(({ push_token }) => lineOf({ push_token, badge })));
    try {
      await vi.waitFor(underWay, { interval: 1, timeout: 10_000 });
      await Promise.all([
        ...everyThird(1).map(async (id, badge) => updateDevice(db, tokenKeys, appId, id, { badge }, clock)),
        ...everyThird(2).map(async (id) => eraseDevice(db, appId, id, clock)),
        change(1).then(async () => change(2)),
        importMany(),
      ]);
      over.abort();
      await Promise.all(movers);
    } finally {
      over.abort();
      await Promise.allSettled(movers);
      await pool.destroy();
    }
    await settleNow();
    expect(await countFresh()).toBe(0);
    expect(await findFaults()).toEqual([]);
    expect(await countMatching(db, { appId, filters: [], now: NOON })).toBe(800 + MANY);
  });

  test('its move, an update and an erasure find the row where it has come to', async () => {
    const [blocked = '', updated = '', erased = ''] = await importMany();
    let settling: Promise<number> | undefined;
    let calls: Promise<unknown>[] = [];
    const transaction = db.transaction().execute(async (trx) => {
      // A second row of that key: the move waits for it, with rows on the way.
      await sql`
        insert into device_targets select * from device_targets_unindexed where id = ${blocked}`.execute(trx);
      settling = indexDeferredRows(db, new AbortController().signal, { ...LIMITS, pages: 1_000 });
      await untilWaiting(db);
      calls = [
        updateDevice(db, tokenKeys, appId, updated, { badge: 7 }, clock),
        eraseDevice(db, appId, erased, clock),
      ];
      await untilWaiting(db, 3);
      throw new Error('taken back');
    });
    await expect(transaction).rejects.toThrow('taken back');
    expect(await settling).toBe(MANY);
    await Promise.all(calls);
    expect(await findFaults()).toEqual([]);
    const { rows } = await sql`select badge from device_targets where id = ${updated}`.execute(db);
    expect(rows).toEqual([{ badge: 7 }]);
  });

  test('an erasure, its row is left to the next time, and nobody waits', async () => {
    const [erased = ''] = await importMany();
    const transaction = db.transaction().execute(async (trx) => {
      await trx.deleteFrom('devices').where('id', '=', erased).execute();
      expect(await settleNow()).toBe(MANY - 1);
      throw new Error('taken back');
    });
    await expect(transaction).rejects.toThrow('taken back');
    expect(await settleNow()).toBe(1);
  });

  test('more devices come many at a time, none is moved', async () => {
    await importMany();
    await db.transaction().execute(async (trx) => {
      const row = { app_id: appId, platform: 'iOS' as const, created_at: NOON, registered_at: NOON };
      const rows = Array.from({ length: MANY }, () => ({ ...row, id: crypto.randomUUID(), custom: '{}' }));
      await trx.insertInto('devices').values(rows).execute();
      expect(await settleNow()).toBe(0);
    });
    expect(await settleNow()).toBe(2 * MANY);
  });
});

describe('the settling of a worker', () => {
  const told = new EventEmitter();
  const observe = (observation: Observation): boolean => told.emit('told', observation);

  beforeEach(() => {
    // The seconds alone are ours: the database's own timers stay real.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('comes at its start and every 15 seconds, tells of a failure and lives on', async () => {
    await importMany();
    let next = once(told, 'told');
    const settling = startPeriodicTimers([indexDeferredRowsJob(db, observe)], observe);
    expect(await next).toEqual([{ kind: 'settled', devices: MANY }]);

    await sql`alter table device_targets_unindexed rename to away`.execute(db);
    next = once(told, 'told');
    vi.advanceTimersByTime(15_000);
    expect(await next).toEqual([
      {
        kind: 'database_error',
        message: expect.stringMatching(/^index-deferred-rows: .*device_targets_unindexed/),
      },
    ]);
    await sql`alter table away rename to device_targets_unindexed`.execute(db);
    await importMany();
    next = once(told, 'told');
    vi.advanceTimersByTime(15_000);
    expect(await next).toEqual([{ kind: 'settled', devices: MANY }]);
    await settling.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
