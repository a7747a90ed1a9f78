import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { cutIdSpace } from '../../src/delivery/start/id-ranges.ts';
import { recordOpen } from '../../src/results/history/opens.ts';
import { type Outcome, outcomeKinds, packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { insertSlices } from '../../src/delivery/slice-store.ts';
import { notificationStats } from '../../src/notifications/look-up/stats.ts';
import {
  type AppWithAudience,
  insertAppWithAudience,
  insertDevice,
  insertNotification,
} from '../notifications/rows.ts';
import { useTestDatabase } from '../support/database.ts';

const database = useTestDatabase();
const NOW = new Date('2026-11-21T12:00:00Z');
let app: AppWithAudience;

beforeAll(async () => {
  app = await insertAppWithAudience(database.db);
});

async function newDevices(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async () => insertDevice(database.db, app.appId)));
}

const outcome = (kind: Outcome['kind']): Outcome => ({ kind, reason: null, atMs: NOW.getTime() });

interface Sent {
  state?: 'waiting' | 'leased' | 'done';
  /** The saved outcomes of the slice that has all devices. */
  outcomes?: ReadonlyMap<string, Outcome>;
  /** Parts saved since. */
  part?: ReadonlyMap<string, Outcome>;
}

/** A notification to all devices, with one slice. @returns its id */
async function insertSent({ state = 'done', outcomes, part }: Sent): Promise<string> {
  const { db } = database;
  const started = { state: 'sending', started_at: NOW, slices_left: 1 } as const;
  const notificationId = await insertNotification(db, app, started);
  await insertSlices(db, { appId: app.appId, notificationId }, cutIdSpace(1), NOW);
  await db
    .updateTable('delivery_slices')
    .set({ state, outcomes: outcomes === undefined ? null : packOutcomes(outcomes) })
    .where('notification_id', '=', notificationId)
    .execute();
  if (part !== undefined) {
    const { number, attempt } = await db
      .selectFrom('delivery_slices')
      .select(['number', 'attempt'])
      .where('notification_id', '=', notificationId)
      .executeTakeFirstOrThrow();
    const row = { app_id: app.appId, notification_id: notificationId, number, attempt, part: 0 };
    await db
      .insertInto('delivery_progress')
      .values({ ...row, outcomes: packOutcomes(part) })
      .execute();
  }
  return notificationId;
}

async function open(notificationId: string, deviceId: string, appId = app.appId): Promise<void> {
  await recordOpen(database.db, appId, notificationId, deviceId, () => NOW);
}

async function opensOf(notificationId: string): Promise<number> {
  const { opens, direct_opens } = await notificationStats(database.db, app.appId, notificationId);
  expect(direct_opens).toBe(opens);
  return opens;
}

test('a device that opens a notification again, even at the same time, counts once', async () => {
  const [one = '', another = ''] = await newDevices(2);
  const id = await insertSent({
    outcomes: new Map([one, another].map((device) => [device, outcome('accepted')])),
  });
  await Promise.all(Array.from({ length: 5 }, async () => open(id, one)));
  await open(id, one.toUpperCase());
  await open(id.toUpperCase(), another);
  expect(await opensOf(id)).toBe(2);
});

describe('an open', () => {
  test.each(outcomeKinds)('an open of a push that is %s counts only if it may have arrived', async (kind) => {
    const [device = ''] = await newDevices(1);
    const counted = kind === 'accepted' || kind === 'ambiguous' ? 1 : 0;
    for (const on of ['outcomes', 'part'] as const) {
      const id = await insertSent({ state: 'leased', [on]: new Map([[device, outcome(kind)]]) });
      await open(id, device);
      expect(await opensOf(id)).toBe(counted);
    }
  });

  test('an open of a device that was not targeted gets the same answer, and does not count', async () => {
    const [device = '', stranger = ''] = await newDevices(2);
    const id = await insertSent({ outcomes: new Map([[device, outcome('accepted')]]) });
    await open(id, device);
    expect(await open(id, stranger)).toBeUndefined();
    expect(await opensOf(id)).toBe(1);
  });

  test('an open counts before the outcome of its push is saved, if a worker has leased its slice', async () => {
    const [device = ''] = await newDevices(1);
    const leased = await insertSent({ state: 'leased' });
    const waiting = await insertSent({ state: 'waiting' });
    for (const id of [leased, waiting]) await open(id, device);
    expect([await opensOf(leased), await opensOf(waiting)]).toEqual([1, 0]);
  });

  test('an open of a device outside the audience does not count, even while slices are in progress', async () => {
    const [device = ''] = await newDevices(1);
    const id = await insertSent({ state: 'leased' });
    const filters = JSON.stringify([{ name: 'tags', criteria: ['nobody'], not_filter: false }]);
    const audience = database.db.updateTable('audiences').where('id', '=', app.audienceId);
    await audience.set({ filters }).execute();
    await open(id, device);
    await audience.set({ filters: '[]' }).execute();
    expect(await opensOf(id)).toBe(0);
  });

  test.each(['scheduled', 'validated', 'failed', 'canceled'] as const)(
    'an open of a notification that is %s and was sent to nobody does not count',
    async (state) => {
      const [device = ''] = await newDevices(1);
      const id = await insertNotification(database.db, app, { state, devices: 1 });
      await open(id, device);
      expect(await opensOf(id)).toBe(0);
    },
  );
});

test('an open is not_found unless notification and device belong to the app, and the message names the missing one', async () => {
  const other = await insertAppWithAudience(database.db);
  const [device = ''] = await newDevices(1);
  const id = await insertSent({ outcomes: new Map([[device, outcome('accepted')]]) });
  const foreignId = await insertNotification(database.db, other);
  const foreignDevice = await insertDevice(database.db, other.appId);
  for (const [notification, opener, missing] of [
    [id, foreignDevice, 'device'],
    [foreignId, device, 'notification'],
    [foreignId, foreignDevice, 'notification'],
    [id, randomUUID(), 'device'],
    [randomUUID(), device, 'notification'],
    [id, 'nonsense', 'device'],
    ['nonsense', device, 'notification'],
  ] as const) {
    await expect(open(notification, opener)).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no such ${missing}.`,
    });
  }
  expect(await opensOf(id)).toBe(0);
});
