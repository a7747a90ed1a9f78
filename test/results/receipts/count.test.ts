import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { recordOpen } from '../../../src/results/history/opens.ts';
import type { OutcomeKind } from '../../../src/delivery/outcomes/packed.ts';
import { type Funnel, readFunnel } from '../../../src/results/receipts/funnel.ts';
import type { Receipt } from '../../../src/results/receipts/packed-receipts.ts';
import { openReceipts } from '../../../src/results/receipts/receipts.ts';
import { idEnd, isAsked, receiptLimit } from '../../../src/notifications/receipt-sample.ts';
import { prune } from '../../../src/delivery/upkeep/prune.ts';
import { type AppWithAudience, insertAppWithAudience, insertDevice } from '../../notifications/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  countAll,
  devices,
  endSlices,
  insertSent,
  NOW,
  packed,
  receiptsOf,
  type SentOptions,
} from './sent.ts';

const database = useTestDatabase();
let app: AppWithAudience;

beforeEach(async () => {
  app = await insertAppWithAudience(database.db);
});

const insert = async (...sent: [outcomes: ReadonlyMap<string, OutcomeKind>, options?: SentOptions]) =>
  insertSent(database.db, app, ...sent);
const count = async (now = NOW) => countAll(database.db, now);

const after = (ms: number): Date => new Date(NOW.getTime() + ms);

async function store(receipts: readonly Receipt[], now = NOW, appId = app.appId): Promise<void> {
  await openReceipts({ db: database.db, clock: () => now }).store(appId, receipts);
}

async function funnelOf(notificationId: string): Promise<Funnel> {
  const funnel = await readFunnel(database.db, { appId: app.appId, notificationId });
  if (funnel === undefined) throw new Error('the notification is gone');
  return funnel;
}

const reported = ({ asked, received, shown, opened }: Funnel) => ({
  asked,
  received: received?.reported ?? null,
  shown: shown?.reported ?? null,
  opened,
});

const uncounted = async (): Promise<number> => {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from receipts_uncounted where app_id = ${app.appId}`.execute(database.db);
  return rows[0]?.rows ?? 0;
};

describe('receipts', () => {
  test('the receipts of a device count once, however often and in however many calls it reports', async () => {
    const sent = devices(40);
    const id = await insert(sent, { receipts: {}, slices: 4 });
    const all = [...sent.keys()];
    await store(receiptsOf(id, all.slice(0, 30)));
    await store([...receiptsOf(id, all.slice(0, 30)), ...receiptsOf(id, all.slice(0, 30))]);
    await store(receiptsOf(id, all.slice(0, 20), { shown: true }));
    await store(receiptsOf(id, all.slice(0, 5), { opened: true }));
    expect(await count()).toEqual({ counted: 30, repeated: 85, ignored: 0 });
    expect(reported(await funnelOf(id))).toEqual({ asked: 40, received: 30, shown: 20, opened: 5 });
    await store(receiptsOf(id, all.slice(0, 31), { shown: true }));
    expect(await count()).toEqual({ counted: 11, repeated: 20, ignored: 0 });
    expect(reported(await funnelOf(id))).toEqual({ asked: 40, received: 31, shown: 31, opened: 5 });
    expect(await uncounted()).toBe(0);
  });

  test.each([
    ['accepted', 1],
    ['ambiguous', 0],
    ['rejected', 0],
    ['unregistered', 0],
    ['no_token', 0],
  ] as const)('receipts of a device whose push was %s count %i times', async (kind, times) => {
    const sent = new Map<string, OutcomeKind>([...devices(1, kind), ...devices(3)]);
    const id = await insert(sent, { receipts: {} });
    const [device = ''] = sent.keys();
    await store(receiptsOf(id, [device]));
    expect(await count()).toMatchObject({ counted: times, ignored: 1 - times });
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 3 + times, received: times });
  });

  test('receipts of devices outside the audience, of other apps and of unknown notifications do not count', async () => {
    const other = await insertAppWithAudience(database.db);
    const sent = devices(2);
    const [device = ''] = sent.keys();
    const id = await insert(sent, { receipts: {} });
    await store(receiptsOf(id, [randomUUID()]));
    await store(receiptsOf(randomUUID(), [device]));
    await store(receiptsOf(id, [device]), NOW, other.appId);
    expect(await count()).toEqual({ counted: 0, repeated: 0, ignored: 3 });
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 2, received: 0 });
    expect(await uncounted()).toBe(0);
  });

  test('receipts of a notification that does not ask for them do not count, but its opens do', async () => {
    const sent = devices(3);
    const id = await insert(sent);
    const [one = '', two = ''] = sent.keys();
    await store([...receiptsOf(id, [one]), ...receiptsOf(id, [two, randomUUID()], { opened: true })]);
    await count();
    const unasked = { sample: null, asked: 0, received: null, shown: null };
    expect(await funnelOf(id)).toEqual({ ...unasked, accepted: 3, opened: 1 });
  });

  test('receipts are counted later if they come before the outcomes of their slice', async () => {
    const sent = devices(10);
    const ids = [...sent.keys()];
    const id = await insert(new Map(), { receipts: {}, slices: 2, state: 'leased' });
    await store(receiptsOf(id, ids, { shown: true }));
    expect(await count()).toEqual({ counted: 0, repeated: 0, ignored: 0 });
    await endSlices(database.db, id, sent);
    expect(await count(after(14_000))).toMatchObject({ counted: 0 });
    expect(await count(after(16_000))).toMatchObject({ counted: 10 });
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 10, received: 10, shown: 10 });
  });

  test('receipts that wait for their slice for longer than a day are dropped', async () => {
    const [device = ''] = devices(1).keys();
    const id = await insert(new Map(), { receipts: {}, state: 'waiting' });
    await store(receiptsOf(id, [device]));
    await count();
    expect(await uncounted()).toBe(1);
    expect(await count(after(25 * 3_600_000))).toMatchObject({ ignored: 1 });
    expect(await uncounted()).toBe(0);
  });

  test('receipts of a notification that was sent without slices count', async () => {
    const sent = devices(3);
    const id = await insert(new Map(), {
      receipts: {},
      slices: 0,
      values: { state: 'sent', ended_at: NOW, outcomes: packed(sent), accepted: 3 },
    });
    await store(receiptsOf(id, [...sent.keys()].slice(0, 2)));
    expect(await count()).toMatchObject({ counted: 2 });
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 3, received: 2, shown: 0 });
  });

  test('receipts of a notification without slices wait as long as it is being sent', async () => {
    const sent = devices(1);
    const id = await insert(new Map(), { receipts: {}, slices: 0 });
    await store(receiptsOf(id, sent.keys()));
    expect(await count()).toMatchObject({ counted: 0, ignored: 0 });
    await database.db
      .updateTable('notifications')
      .set({ outcomes: packed(sent), state: 'sent', ended_at: NOW, accepted: 1 })
      .where('id', '=', id)
      .execute();
    expect(await count(after(16_000))).toMatchObject({ counted: 1 });
  });

  test('receipts of a canceled notification count for the slices that were sent', async () => {
    const sent = devices(20);
    const id = await insert(sent, {
      receipts: {},
      slices: 2,
      state: 'waiting',
      values: { state: 'canceled', ended_at: NOW },
    });
    await store(receiptsOf(id, sent.keys()));
    expect(await count()).toMatchObject({ counted: 0 });
    expect(await count(after(61_000))).toMatchObject({ counted: 20 });
  });

  test('receipts of waves, whose slices overlap, are found in the slice that has the device', async () => {
    const waves = [devices(30), devices(30), devices(30)];
    const id = await insert(new Map(), {
      receipts: {},
      slices: 0,
      values: { accepted: 90 },
    });
    for (const [wave, sent] of waves.entries()) {
      await sql`
        insert into delivery_slices (app_id, notification_id, number, first_id, last_id, not_before, state, outcomes)
        values (${app.appId}, ${id}, ${wave}, '00000000-0000-0000-0000-000000000000',
          'ffffffff-ffff-ffff-ffff-ffffffffffff', now(), 'done', ${packed(sent)})`.execute(database.db);
    }
    await store(waves.flatMap((sent) => receiptsOf(id, sent.keys())));
    expect(await count()).toEqual({ counted: 90, repeated: 0, ignored: 0 });
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 90, received: 90 });
  });
});

describe('the sample', () => {
  test('the sample is the same for the server as for a client that follows the formula; others do not count', async () => {
    const sent = devices(400);
    const sample = 0.25;
    const id = await insert(sent, { receipts: { sample }, slices: 3 });
    const limit = receiptLimit({ sample });
    const isAskedByClient = (device: string): boolean =>
      Number((BigInt(`0x${device.slice(-8)}`) ^ BigInt(`0x${id.slice(-8)}`)) & 0xffffffffn) < limit;
    const asked = [...sent.keys()].filter(isAskedByClient);
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.length).toBeLessThan(150);
    expect([...sent.keys()].filter((device) => isAsked(limit, idEnd(device), idEnd(id)))).toEqual(asked);
    await store(receiptsOf(id, sent.keys()));
    expect(await count()).toEqual({ counted: asked.length, repeated: 0, ignored: 400 - asked.length });
    const { received, ...rest } = await funnelOf(id);
    expect(rest).toMatchObject({ sample, asked: asked.length, accepted: 400 });
    expect(received).toMatchObject({ reported: asked.length, share: 1, high: 1, devices: 400 });
    expect(received?.low).toBeLessThan(1);
  });

  // The test vectors of docs/api.md.
  test.each([
    ['1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b', 0.1, 429_496_730, false],
    ['1b4e28ba-2fa1-4d3b-a3f5-ef195e0f1c2d', 0.1, 429_496_730, true],
    ['1b4e28ba-2fa1-4d3b-a3f5-ef19ffffffff', 0.5, 2_147_483_648, false],
    ['1b4e28ba-2fa1-4d3b-a3f5-ef19ffffffff', 1, 4_294_967_296, true],
  ])('the sample of notification %s and share %d is right: %i, %o', (notification, sample, limit, asked) => {
    expect(receiptLimit({ sample })).toBe(limit);
    expect(isAsked(limit, idEnd('7ddd6c47-2a5f-4d2c-9d0e-3a1b5c7d9e0f'), idEnd(notification))).toBe(asked);
  });

  test('the sample covers slices that end after the last receipt', async () => {
    const sent = devices(60);
    const id = await insert(sent, { receipts: {}, slices: 3, state: 'leased' });
    const slice = database.db.updateTable('delivery_slices').where('notification_id', '=', id);
    await slice.set({ state: 'done' }).where('number', '=', 0).execute();
    await store(receiptsOf(id, sent.keys()));
    await count();
    const first = await funnelOf(id);
    expect(first.asked).toBe(first.received?.reported);
    expect(first.asked).toBeLessThan(60);
    await database.db.deleteFrom('receipts_uncounted').where('notification_id', '=', id).execute();
    await slice.set({ state: 'done' }).execute();
    await database.db
      .updateTable('notifications')
      .set({ state: 'sent', ended_at: NOW, slices_left: 0 })
      .where('id', '=', id)
      .execute();
    await count();
    expect(reported(await funnelOf(id))).toMatchObject({ asked: 60, received: first.asked });
    const { complete } = await database.db
      .selectFrom('receipt_counts')
      .select('complete')
      .where('notification_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(complete).toBe(true);
  });
});

test('an open in a receipt is the same as one that was reported alone', async () => {
  const device = await insertDevice(database.db, app.appId);
  const id = await insert(new Map([[device, 'accepted']]), { receipts: {} });
  await recordOpen(database.db, app.appId, id, device, () => NOW);
  await store(receiptsOf(id, [device], { opened: true }), after(5_000));
  await count(after(5_000));
  expect(reported(await funnelOf(id))).toEqual({ asked: 1, received: 1, shown: 1, opened: 1 });
  const opens = database.db.selectFrom('opens').where('notification_id', '=', id);
  expect(await opens.select('opened_at').execute()).toEqual([{ opened_at: NOW }]);
});

test('two processes that count at once count each receipt once', async () => {
  const sent = devices(300);
  const id = await insert(sent, { receipts: {}, slices: 5 });
  for (let round = 0; round < 5; round++) await store(receiptsOf(id, sent.keys(), { shown: true }));
  await Promise.all([count(), count(), count()]);
  await count();
  expect(reported(await funnelOf(id))).toMatchObject({ asked: 300, received: 300, shown: 300 });
});

test('pruning deletes the marks and keeps the sums; receipts that come afterwards do not count', async () => {
  const sent = devices(20);
  const id = await insert(sent, {
    receipts: {},
    slices: 2,
    values: { state: 'sent', ended_at: NOW },
  });
  await store(receiptsOf(id, [...sent.keys()].slice(0, 10)));
  await count();
  const before = await funnelOf(id);
  const later = after(100 * 24 * 3_600_000);
  const context = { db: database.db, clock: () => later, keepDays: 90 };
  expect(await prune(context, new AbortController().signal)).toMatchObject({ receipts: expect.any(Number) });
  const marks = database.db.selectFrom('receipt_marks').where('notification_id', '=', id);
  expect(await marks.select('slice').execute()).toEqual([]);
  await store(receiptsOf(id, sent.keys()), later);
  expect(await count(later)).toEqual({ counted: 0, repeated: 0, ignored: 20 });
  expect(await funnelOf(id)).toEqual(before);
});
