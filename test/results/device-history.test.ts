/** The last outcomes of a device, from notifications as delivery leaves them: whole, in slices, or in parts. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { readHistory } from '../../src/results/history/device-history.ts';
import { type Outcome, packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { insertSlices } from '../../src/delivery/slice-store.ts';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { pageCursor } from '../../src/api/page-cursor.ts';
import {
  type AppWithAudience,
  insertAppWithAudience,
  insertDevice,
  insertNotification,
} from '../notifications/rows.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const START = new Date('2026-11-21T10:00:00.000Z');

let app: AppWithAudience;
let deviceId: string;
let notifications = 0;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
  deviceId = await insertDevice(database.db, app.appId);
});

const accepted: Outcome = { kind: 'accepted', reason: null, atMs: START.getTime() + 500 };

/** Of the device and of strangers. */
function packed(outcome: Outcome | undefined, id = deviceId): Buffer {
  const strangers = Array.from({ length: 20 }, (): [string, Outcome] => [randomUUID(), accepted]);
  return packOutcomes(new Map(outcome === undefined ? strangers : [...strangers, [id, outcome]]));
}

/** A notification that has started, one second after the one before. */
async function insertSent(values: Parameters<typeof insertNotification>[2] = {}): Promise<string> {
  const createdAt = new Date(START.getTime() + notifications++ * 1_000);
  const times = { created_at: createdAt, due_at: createdAt, started_at: createdAt };
  return insertNotification(database.db, app, { state: 'sent', ...times, ...values });
}

async function insertSliced(slices: number, outcome: Outcome | undefined): Promise<string> {
  const id = await insertSent();
  const key = { appId: app.appId, notificationId: id };
  await insertSlices(database.db, key, cutIdSpace(slices), START);
  await database.db
    .updateTable('delivery_slices')
    .set({ state: 'done', outcomes: packed(outcome) })
    .where('notification_id', '=', id)
    .where('first_id', '<=', deviceId)
    .where('last_id', '>=', deviceId)
    .execute();
  return id;
}

async function history(cursor?: string | null) {
  const after = cursor ? pageCursor.parse(cursor) : undefined;
  return readHistory(database.db, app.appId, deviceId, after);
}

async function ids(): Promise<string[]> {
  const { outcomes } = await history();
  return outcomes.map(({ notification_id: id }) => id);
}

describe('The history of a device', () => {
  test('the history of a device has its outcomes from whole notifications, slices and parts, newest first', async () => {
    const whole = await insertSent({ outcomes: packed(accepted) });
    const sliced = await insertSliced(3, {
      kind: 'unregistered',
      reason: 'Unregistered',
      atMs: START.getTime(),
    });
    const inProgress = await insertSent({ state: 'sending' });
    const key = { appId: app.appId, notificationId: inProgress };
    await insertSlices(database.db, key, cutIdSpace(1), START);
    await database.db
      .insertInto('delivery_progress')
      .values({
        app_id: app.appId,
        notification_id: inProgress,
        number: 0,
        attempt: 1,
        part: 0,
        outcomes: packed({ kind: 'rejected', reason: 'no_credentials', atMs: START.getTime() }),
      })
      .execute();
    const opened = new Date('2026-11-21T11:00:00.000Z');
    await database.db
      .insertInto('opens')
      .values({ app_id: app.appId, notification_id: whole, device_id: deviceId, opened_at: opened })
      .execute();

    const { outcomes, meta } = await history();
    expect(outcomes).toMatchObject([
      {
        notification_id: inProgress,
        outcome: 'rejected',
        reason: 'the app has no credentials for the gateway and environment of this device',
        explanation: expect.stringContaining('Store them'),
      },
      {
        notification_id: sliced,
        outcome: 'unregistered',
        reason: 'Unregistered',
        explanation: expect.stringContaining('removed from the device'),
      },
      {
        notification_id: whole,
        alert: 'Hi',
        title: null,
        outcome: 'accepted',
        reason: null,
        at: new Date(accepted.atMs).toISOString(),
        opened_at: opened.toISOString(),
      },
    ]);
    expect(meta).toMatchObject({ cursor: null, searched: { notifications: 3, no_longer_kept: 0 } });
  });

  test('the slice of a device is found, however many slices there are', async () => {
    for (const slices of [1, 2, 7, 256, 1_999]) {
      const id = await insertSliced(slices, accepted);
      expect(await ids()).toContain(id);
    }
  });

  test.each([
    '00000000-0000-4000-8000-000000000000',
    '7fffffff-ffff-ffff-ffff-ffffffffffff',
    '80000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ])('the slice of the device %s, at the edge of ranges, is found', async (id) => {
    await database.db.updateTable('devices').set({ id }).where('id', '=', deviceId).execute();
    deviceId = id;
    for (const slices of [1, 2, 3, 1_000]) await insertSliced(slices, accepted);
    expect(await ids()).toHaveLength(4);
  });

  test('the history of a device leaves out notifications without an outcome of it', async () => {
    await insertSliced(2, undefined);
    await insertSent({ outcomes: packed(undefined) });
    await insertSent({ state: 'scheduled', started_at: null });
    await insertSent({ state: 'validated' });
    const filters = `[{"name":"device_id","criteria":["${randomUUID()}"],"not_filter":false}]`;
    await insertSent({ audience_id: null, filters });
    expect(await ids()).toEqual([]);
  });

  test('the history of a device has pushes to the device alone, and to users that it had before', async () => {
    const toDevice = await insertSent({
      audience_id: null,
      filters: `[{"name":"device_id","criteria":["${deviceId.toUpperCase()}"],"not_filter":false}]`,
    });
    await insertSlices(database.db, { appId: app.appId, notificationId: toDevice }, cutIdSpace(1), START);
    await database.db
      .updateTable('delivery_slices')
      .set({ state: 'done', outcomes: packed(accepted) })
      .where('notification_id', '=', toDevice)
      .execute();
    const toUser = await insertSent({
      audience_id: null,
      filters: '[{"name":"user_id","criteria":["earlier"],"not_filter":false}]',
      outcomes: packed(accepted),
    });
    expect(await ids()).toEqual([toUser, toDevice]);
  });

  test('the history comes in pages of 20 that neither skip nor repeat, with the number that was searched', async () => {
    const sent: string[] = [];
    for (let count = 0; count < 45; count++) sent.push(await insertSent({ outcomes: packed(accepted) }));
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await history(cursor);
      pages.push(page.outcomes.map(({ notification_id: id }) => id));
      expect(page.meta.searched.notifications).toBe(page.outcomes.length);
      ({ cursor } = page.meta);
    } while (cursor !== null);
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(pages.flat()).toEqual(sent.toReversed());
  });

  test('a bounded number of notifications is searched, and the page says which and where to go on', async () => {
    const oldest = await insertSent({ outcomes: packed(accepted) });
    await sql`insert into notifications
        (app_id, id, audience_id, body, state, created_at, due_at, started_at, pruned_at, request_id)
      select ${app.appId}, gen_random_uuid(), ${app.audienceId}, '{}', 'sent', at, at, at,
        case when n <= 10 then at end, 'r'
      from generate_series(1, 600) as n
      cross join lateral (select ${START}::timestamptz + (n + 100) * interval '1 minute' as at) as times`.execute(
      database.db,
    );
    const first = await history();
    expect(first).toMatchObject({
      outcomes: [],
      meta: {
        cursor: expect.any(String),
        searched: { notifications: 500, no_longer_kept: 0, since: '2026-11-21T13:21:00.000Z' },
      },
    });
    const second = await history(first.meta.cursor);
    expect(second).toMatchObject({
      outcomes: [{ notification_id: oldest }],
      meta: { cursor: null, searched: { no_longer_kept: 10 } },
    });
  });

  test('the history of an unknown device is not found, and of a new app it is empty', async () => {
    expect(await history()).toEqual({
      outcomes: [],
      meta: { cursor: null, searched: { notifications: 0, no_longer_kept: 0, since: null } },
    });
    deviceId = randomUUID();
    await expect(history()).rejects.toMatchObject({ code: 'not_found' });
  });
});
