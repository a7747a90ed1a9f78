import { EventEmitter, once } from 'node:events';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compileFilters } from '../../src/audiences/compile.ts';
import { areAsRead, readBlocks } from '../../src/audiences/compile-blocks.ts';
import { readTargets } from '../../src/audiences/compile-targets.ts';
import { countDevices } from '../../src/audiences/count-devices.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { importDevices } from '../../src/devices/import.ts';
import { seal, type SealLimits, startSealing } from '../../src/devices/seal.ts';
import { settle } from '../../src/devices/settle.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { parsed } from '../audiences/parsed.ts';
import { insertApp, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { chunksOf, lineOf, newToken } from './import-lines.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const clock = (): Date => NOON;
const LIMITS: SealLimits = { devicesMin: 100, devicesPerBlock: 50 };

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

async function sealNow(limits = LIMITS): Promise<number> {
  return seal(db, new AbortController().signal, limits);
}

/** @returns their ids */
async function importMany(devices: number): Promise<string[]> {
  const lines = Array.from({ length: devices }, (_, index) => {
    const custom = {
      number: { type: 'integer', value: index },
      word: { type: 'string', value: `word ${index % 7}` },
    };
    const tags = index % 2 === 0 ? ['even', `tag ${index}`] : [];
    return lineOf({ push_token: newToken(), badge: 0, app_version: `1.${index % 3}`, tags, custom });
  });
  await importDevices(db, appId, chunksOf(lines.join('\n')), clock);
  await settle(db, new AbortController().signal, { pages: 1_000, pauseMs: 0 });
  const rows = await db.selectFrom('devices').select('id').execute();
  return rows.map(({ id }) => id);
}

async function countSince(): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from device_targets_since`.execute(db);
  return rows[0]?.rows ?? 0;
}

/** Of one snapshot, what each list comes to by bitmaps and by rows. */
async function countBothWays(on: Kysely<Database>): Promise<[byBlocks: number, byRows: number][]> {
  const some = [
    [{ name: 'badge', criteria: [{ gte: 1 }] }],
    [
      { name: 'tags', criteria: ['even'] },
      { name: 'badge', criteria: [0], not_filter: true },
    ],
    [{ name: 'app_version', criteria: [{ gt: '1.0' }] }],
    [
      { name: 'custom.integer.number', criteria: [{ lt: 300 }] },
      { name: 'custom.string.word', criteria: ['word 2', 'word 3'] },
    ],
  ].map((list) => parsed(list));
  const lists = [[], ...some];
  return on
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const counts: [number, number][] = [];
      for (const filters of lists) {
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

describe('an app of many devices', () => {
  test('is counted by blocks once all of them are sealed', async () => {
    await importMany(LIMITS.devicesMin - 1);
    expect(await sealNow()).toBe(0);
    await importMany(1);
    expect(await readBlocks(db, appId)).toBeUndefined();
    expect(await sealNow()).toBe(LIMITS.devicesMin);
    expect(await readBlocks(db, appId)).toEqual({ leftOut: new Set() });
    expect(await sealNow()).toBe(0);
  });

  test('is not counted by blocks that are others by now than those that were read', async () => {
    await importMany(LIMITS.devicesMin);
    await sealNow();
    const blocks = await readBlocks(db, appId);
    if (blocks === undefined) throw new Error('the app has no blocks');
    const isAsRead = async (): Promise<unknown> => {
      const { rows } = await sql<{ is: unknown }>`select ${areAsRead(appId, blocks)} as is`.execute(db);
      return rows[0]?.is;
    };
    expect(await isAsRead()).toBe(true);
    await sql`update device_blocks set left_out = '{locale}' where number = 2`.execute(db);
    expect(await isAsRead()).toBe(false);
    await sql`delete from device_blocks where number = 2`.execute(db);
    expect(await isAsRead()).toBeNull();
  });

  test('has blocks sealed again where many of their devices have changed, and no others', async () => {
    const ids = await importMany(400);
    await sealNow({ devicesMin: 100, devicesPerBlock: 100 });
    const { rows } = await sql<{ next: string }>`select firsts[2] as next from device_layouts`.execute(db);
    const early = ids.filter((id) => id < (rows[0]?.next ?? ''));
    expect(early).toHaveLength(100);
    await updateDevice(db, appId, early[0] ?? '', { badge: 5 }, clock);
    expect(await sealNow()).toBe(0);
    for (const id of early) await updateDevice(db, appId, id, { badge: 6 }, clock);
    expect(await sealNow()).toBe(early.length);
    expect(await countSince()).toBe(0);
  });

  test('is laid out anew where a block has outgrown its places', async () => {
    await importMany(150);
    await sealNow();
    // As many rows as no block can have, all in the first.
    await sql`
      insert into device_targets (app_id, id, created_at, on_ios, development, gps, notifications_allowed)
      select ${appId}, lpad(to_hex(number), 32, '0')::uuid, now(), true, false, false, 'Unknown'
      from generate_series(1, 32768) as number`.execute(db);
    await sealNow();
    expect(await readBlocks(db, appId)).toBeUndefined();
    expect(await countSince()).toBe(0);
  });

  test('has no bitmaps of texts that nearly every device has for itself, and is counted by rows then', async () => {
    await importMany(100);
    await sql`
      insert into device_targets (app_id, id, created_at, on_ios, development, gps, notifications_allowed, locale, tags)
      select ${appId}, gen_random_uuid(), now(), true, false, false, 'Unknown', 'l' || n, jsonb_build_array('t' || n)
      from generate_series(1, 8200) as n`.execute(db);
    await sealNow({ devicesMin: 100, devicesPerBlock: 10_000 });
    expect(await readBlocks(db, appId)).toEqual({ leftOut: new Set(['locale', 'tags']) });
    const count = async (name: string, criteria: string[]): Promise<number> =>
      countDevices(db, { appId, filters: parsed([{ name, criteria }]), now: NOON });
    expect(await count('locale', ['l7', 'l8200', 'l8201'])).toBe(2);
    expect(await count('tags', ['t7', 't8', 'even'])).toBe(52);
  });

  test('keeps nothing of an erased device, in bitmaps or beside them, after the next turn', async () => {
    const [erased = ''] = await importMany(100);
    await updateDevice(db, appId, erased, { country: 'Nowhere', tags: ['only here'] }, clock);
    await sealNow();
    await eraseDevice(db, appId, erased, clock);
    expect(await countSince()).toBe(1);
    await sealNow();
    expect(await countSince()).toBe(0);
    const { rows } = await sql`
      select from device_block_columns where 'Nowhere' = any(texts)
      union all select from device_block_lists where value = 'only here'`.execute(db);
    expect(rows).toEqual([]);
  });
});

describe('while devices come, change, go and settle', () => {
  test('and blocks are sealed, every count is exact in every snapshot', async () => {
    const ids = await importMany(600);
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
      until(async () => seal(pool, over.signal, LIMITS)),
      until(async () => settle(pool, over.signal, { pages: 1, pauseMs: 0 })),
      until(async () => {
        for (const [byBlocks, byRows] of await countBothWays(pool)) expect(byBlocks).toBe(byRows);
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
          ...everyThird(1).map(async (id, badge) => updateDevice(db, appId, id, { badge }, clock)),
          ...everyThird(2).map(async (id) => eraseDevice(db, appId, id, clock)),
          importMany(300).then(async () => importMany(300)),
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
    const [everyone] = await countBothWays(db);
    expect(everyone).toEqual([1_000, 1_000]);
  });

  test('who has not seen the layout is waited for, and is not missed', async () => {
    const [changed = ''] = await importMany(100);
    let sealing: Promise<number> | undefined;
    await db.transaction().execute(async (trx) => {
      await trx.updateTable('devices').set({ badge: 9 }).where('id', '=', changed).execute();
      sealing = sealNow();
      await vi.waitFor(
        async () => {
          const { rows } = await sql`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
          expect(rows).toHaveLength(1);
        },
        { timeout: 10_000 },
      );
    });
    expect(await sealing).toBe(100);
    for (const [byBlocks, byRows] of await countBothWays(db)) expect(byBlocks).toBe(byRows);
  });
});

describe('the sealing of a worker', () => {
  const told = new EventEmitter();
  const observe = (observation: Observation): boolean => told.emit('told', observation);

  beforeEach(() => {
    // The seconds alone are ours: the database's own timers stay real.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('comes at its start and every half minute, tells of a failure and lives on', async () => {
    await importMany(100);
    let next = once(told, 'told');
    const sealing = startSealing(db, observe, LIMITS);
    expect(await next).toEqual([{ kind: 'sealed', devices: 100 }]);

    await sql`alter table device_blocks rename to away`.execute(db);
    next = once(told, 'told');
    vi.advanceTimersByTime(30_000);
    expect(await next).toEqual([
      { kind: 'database_error', message: expect.stringMatching(/^seal: .*device_blocks/) },
    ]);
    await sql`alter table away rename to device_blocks`.execute(db);
    await sql`delete from device_blocks`.execute(db);
    next = once(told, 'told');
    vi.advanceTimersByTime(30_000);
    expect(await next).toEqual([{ kind: 'sealed', devices: 100 }]);
    await sealing.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
