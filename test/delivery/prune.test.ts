import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { readDelivery } from '../../src/results/history/device-outcome.ts';
import { recordOpen } from '../../src/results/history/opens.ts';
import { packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { prune, PRUNE_LOCK, pruneJob, type PruneLimits } from '../../src/delivery/upkeep/prune.ts';
import { withTryLock } from '../../src/db/try-lock.ts';
import { startPeriodicJobs } from '../../src/queue/periodic-jobs.ts';
import { insertSlices } from '../../src/delivery/slice-store.ts';
import { notificationStats } from '../../src/notifications/look-up/stats.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { Observation } from '../../src/observe.ts';
import {
  type AppWithAudience,
  insertAppWithAudience,
  insertDevice,
  insertNotification,
} from '../notifications/rows.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const KEEP_DAYS = 90;
const TEN: Omit<PruneLimits, 'pauseMs'> = {
  notifications: 10,
  slices: 10,
  opens: 10,
  receipts: 10,
  uniqueIds: 10,
};
const LIMITS: PruneLimits = { ...TEN, pauseMs: 0 };
const NOTHING = { notifications: 0, slices: 0, opens: 0, receipts: 0, uniqueIds: 0 };
const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let app: AppWithAudience;
let deviceId: string;

beforeEach(async () => {
  database = await openTestDatabase();
  app = await insertAppWithAudience(database.db);
  deviceId = await insertDevice(database.db, app.appId);
});

afterEach(async () => {
  await database.close();
});

const clock = (): Date => NOW;

interface Ended {
  /** Days ago, before `NOW`. Undefined: it has not ended. */
  daysAgo: number | undefined;
  slices?: number;
  opens?: number;
}

/** A notification that was sent to the device, as delivery leaves it, with an open. */
async function insertEnded({ daysAgo, slices = 1, opens = 0 }: Ended): Promise<string> {
  const { db } = database;
  const endedAt = daysAgo === undefined ? null : new Date(NOW.getTime() - daysAgo * DAY_MS);
  const id = await insertNotification(db, app, {
    state: endedAt === null ? 'sending' : 'sent',
    started_at: endedAt ?? NOW,
    ended_at: endedAt,
    devices: 1,
    accepted: 1,
  });
  await insertSlices(db, { appId: app.appId, notificationId: id }, cutIdSpace(slices), NOW);
  const outcomes = packOutcomes(
    new Map([[deviceId, { kind: 'accepted', reason: null, atMs: NOW.getTime() }]]),
  );
  await db
    .updateTable('delivery_slices')
    .set({ state: 'done', outcomes })
    .where('notification_id', '=', id)
    .execute();
  if (opens > 0) {
    const rows = Array.from({ length: opens }, () => ({
      app_id: app.appId,
      notification_id: id,
      device_id: randomUUID(),
      opened_at: NOW,
    }));
    await db.insertInto('opens').values(rows).execute();
  }
  return id;
}

async function left(table: 'delivery_slices' | 'delivery_progress' | 'opens', id: string): Promise<number> {
  const { rows } = await database.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('notification_id', '=', id)
    .executeTakeFirstOrThrow();
  return rows;
}

async function pruneAll(limits = LIMITS) {
  const context = { db: database.db, clock, keepDays: KEEP_DAYS };
  return prune(context, new AbortController().signal, limits);
}

describe('pruning', () => {
  test.each<[string, number | undefined, boolean]>([
    ['that ended a millisecond longer ago than is kept', KEEP_DAYS + 1 / DAY_MS, true],
    ['that ended exactly as long ago as is kept', KEEP_DAYS, false],
    ['that ended yesterday', 1, false],
    ['that has not ended, however old', undefined, false],
  ])('a notification %s is pruned: %o', async (_which, daysAgo, isRemoved) => {
    const id = await insertEnded({ daysAgo, slices: 3, opens: 2 });
    const found = isRemoved ? { ...NOTHING, notifications: 1, slices: 3, opens: 2 } : NOTHING;
    expect(await pruneAll()).toEqual(found);
    expect(await left('delivery_slices', id)).toBe(isRemoved ? 0 : 3);
    expect(await left('opens', id)).toBe(isRemoved ? 0 : 2);
  });

  test('pruning removes the slices and opens of old notifications and of no other', async () => {
    const old = [
      await insertEnded({ daysAgo: 100, slices: 25, opens: 31 }),
      await insertEnded({ daysAgo: 91 }),
      await insertEnded({ daysAgo: 4_000, slices: 0, opens: 10 }),
    ];
    const young = await insertEnded({ daysAgo: 89, slices: 4, opens: 5 });
    expect(await pruneAll()).toEqual({ ...NOTHING, notifications: 3, slices: 26, opens: 41 });
    for (const id of old) {
      expect([await left('delivery_slices', id), await left('opens', id)]).toEqual([0, 0]);
    }
    expect([await left('delivery_slices', young), await left('opens', young)]).toEqual([4, 5]);
  });

  test('pruning removes parts that a worker left in a slice when it was killed before a cancel', async () => {
    const id = await insertEnded({ daysAgo: 100, slices: 2, opens: 0 });
    const part = {
      app_id: app.appId,
      notification_id: id,
      number: 1,
      attempt: 1,
      outcomes: Buffer.alloc(20),
    };
    await database.db
      .insertInto('delivery_progress')
      .values([
        { ...part, part: 0 },
        { ...part, part: 1 },
      ])
      .execute();
    expect(await left('delivery_progress', id)).toBe(2);
    await pruneAll();
    expect(await left('delivery_progress', id)).toBe(0);
  });

  test('pruning keeps the notification, its counters and the number of opens', async () => {
    const id = await insertEnded({ daysAgo: 100, slices: 2, opens: 23 });
    const [record, stats] = [
      await readNotification(database.db, app.appId, id, clock),
      await notificationStats(database.db, app.appId, id),
    ];
    expect(stats.opens).toBe(23);
    await pruneAll();
    expect(await readNotification(database.db, app.appId, id, clock)).toEqual(record);
    expect(await notificationStats(database.db, app.appId, id)).toEqual(stats);
  });

  test('pruning reads no notification twice', async () => {
    await insertEnded({ daysAgo: 100, slices: 2, opens: 2 });
    await pruneAll();
    expect(await pruneAll()).toEqual(NOTHING);
  });

  test('pruning changes no more rows per statement than its limit', async () => {
    for (let count = 0; count < 5; count++) await insertEnded({ daysAgo: 100, slices: 9, opens: 13 });
    // Postgres itself counts the rows of each statement.
    await sql`create table touched (what text, rows bigint)`.execute(database.db);
    await sql`
      create function note() returns trigger language plpgsql as $$
      begin insert into touched select tg_table_name, count(*) from gone; return null; end $$`.execute(
      database.db,
    );
    for (const table of ['delivery_slices', 'opens']) {
      await sql`create trigger noted after delete on ${sql.table(table)} referencing old table as gone
        for each statement execute function note()`.execute(database.db);
    }
    expect(await pruneAll({ ...LIMITS, notifications: 2, slices: 4, opens: 6 })).toEqual({
      ...NOTHING,
      notifications: 5,
      slices: 45,
      opens: 65,
    });
    const { rows } = await sql<{ what: string; most: number; all: number }>`
      select what, max(rows) as most, sum(rows)::bigint as all from touched group by what order by what`.execute(
      database.db,
    );
    expect(rows).toEqual([
      { what: 'delivery_slices', most: 4, all: 45 },
      { what: 'opens', most: 6, all: 65 },
    ]);
  });

  test('pruning runs in one worker at a time', async () => {
    const id = await insertEnded({ daysAgo: 100 });
    await withTryLock(database.db, PRUNE_LOCK, async () => {
      expect(await pruneAll()).toEqual(NOTHING);
    });
    expect(await left('delivery_slices', id)).toBe(1);
    const both = await Promise.all([pruneAll(), pruneAll()]);
    expect(both.reduce((sum, { slices }) => sum + slices, 0)).toBe(1);
  });

  test('pruning releases the lock when it fails', async () => {
    const failed = withTryLock(database.db, PRUNE_LOCK, async () => {
      throw new Error('broken');
    });
    await expect(failed).rejects.toThrow('broken');
    expect(await withTryLock(database.db, PRUNE_LOCK, async () => 'mine')).toBe('mine');
  });

  test('pruning leaves the rest to the next run when it is stopped', async () => {
    const id = await insertEnded({ daysAgo: 100, slices: 25 });
    const stop = new AbortController();
    const limits = { ...LIMITS, pauseMs: 60_000 };
    const pruning = prune({ db: database.db, clock, keepDays: KEEP_DAYS }, stop.signal, limits);
    await vi.waitFor(async () => expect(await left('delivery_slices', id)).toBe(15), PATIENCE);
    stop.abort();
    expect(await pruning).toEqual({ ...NOTHING, slices: 10 });
    expect(await pruneAll()).toEqual({ ...NOTHING, notifications: 1, slices: 15 });
  });
});

async function ask(notificationId: string) {
  return readDelivery(database.db, { appId: app.appId, notificationId, deviceId, now: NOW });
}

describe('the result of a device', () => {
  test('the result of a device is not found after pruning, and not guessed', async () => {
    const id = await insertEnded({ daysAgo: 100 });
    expect(await ask(id)).toMatchObject({ outcome: 'accepted' });
    await pruneAll();
    await expect(ask(id)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('no longer kept'),
    });
  });

  test('the result of a device is as before for a notification that never had slices', async () => {
    const id = await insertNotification(database.db, app, {
      state: 'failed',
      started_at: NOW,
      ended_at: new Date(NOW.getTime() - 100 * DAY_MS),
      devices: 5,
    });
    const before = await ask(id);
    await pruneAll();
    expect(await ask(id)).toEqual(before);
  });

  test('an open of a pruned notification is accepted and changes nothing', async () => {
    const id = await insertEnded({ daysAgo: 100, opens: 4 });
    await pruneAll();
    await recordOpen(database.db, app.appId, id, deviceId, clock);
    expect(await left('opens', id)).toBe(0);
    expect(await notificationStats(database.db, app.appId, id)).toMatchObject({ opens: 4 });
  });
});

describe('the prune job', () => {
  const observed = new EventEmitter();
  const observe = (observation: Observation): boolean => observed.emit('observation', observation);

  beforeEach(() => {
    // Only intervals are faked: the timers of the database driver stay real.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The next observation after `action`. */
  async function observedAfter(action: () => void): Promise<unknown> {
    const next = once(observed, 'observation');
    action();
    const [observation] = await next;
    return observation;
  }

  let pruning: ReturnType<typeof startPeriodicJobs>;
  function start(): void {
    const context = { db: database.db, clock, observe, keepDays: KEEP_DAYS };
    pruning = startPeriodicJobs([pruneJob(context)], observe);
  }

  test('the prune job runs at its start and then every hour', async () => {
    await insertEnded({ daysAgo: 100 });
    const first = await observedAfter(start);
    expect(first).toEqual({ ...NOTHING, kind: 'pruned', notifications: 1, slices: 1 });

    const second = await insertEnded({ daysAgo: 100, slices: 2 });
    vi.advanceTimersByTime(60 * 60_000 - 1);
    expect(await left('delivery_slices', second)).toBe(2);
    expect(await observedAfter(() => vi.advanceTimersByTime(1))).toMatchObject({ kind: 'pruned', slices: 2 });
    await pruning.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the prune job reports a failure and continues', async () => {
    await sql`alter table opens rename to opens_away`.execute(database.db);
    await insertEnded({ daysAgo: 100 });
    const failure = await observedAfter(start);
    expect(failure).toMatchObject({ kind: 'database_error', message: expect.stringMatching(/^prune: /) });

    await sql`alter table opens_away rename to opens`.execute(database.db);
    const later = await observedAfter(() => vi.advanceTimersByTime(60 * 60_000));
    expect(later).toMatchObject({ kind: 'pruned', notifications: 1 });
    await pruning.close();
  });
});
