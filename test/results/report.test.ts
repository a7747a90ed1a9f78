import { randomUUID } from 'node:crypto';
import type { Updateable } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { NotificationsTable } from '../../src/db/tables.ts';
import { deliverNextSlice, type DeliveryContext, openDelivery } from '../../src/delivery/send/deliver.ts';
import { packOutcomes } from '../../src/delivery/outcomes/packed.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { POINTS_MAX } from '../../src/results/report/report-store.ts';
import { type NotificationReport, readReport } from '../../src/results/report/report.ts';
import { leaseNextSlice, type NotificationKey } from '../../src/delivery/slice-store.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import { observeNothing } from '../../src/observe.ts';
import { insertNotification } from '../notifications/rows.ts';
import { everyoneAudience } from '../support/audiences.ts';
import { giveCredentials } from '../support/credentials.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { tokenKeys } from '../support/token-keys.ts';

const database = useTestDatabase();
const START = Date.UTC(2026, 10, 20, 12);

let appId: string;
let now: Date;
let answer: (recipient: Recipient) => Verdict;
let context: DeliveryContext;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date(START);
  answer = () => ({ kind: 'accepted' });
  const apns = fakeGateway('apns_production', async (recipient) => answer(recipient));
  context = openDelivery({
    db: database.db,
    clock: () => now,
    observe: observeNothing,
    random: () => 0,
    gateways: { forApp: async () => ({ apns_production: apns }), close: async () => undefined },
    tokenKeys,
    unsaved: new UnsavedOutcomes(),
  });
  await giveCredentials({ db: database.db, appId, at: now }, 'apns');
});

async function insertDevices(count: number, withToken = true): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const id = randomUUID();
    const token = withToken ? { push_token: `token-${id}`, token_registered_at: now } : {};
    return { app_id: appId, id, platform: 'iOS' as const, ...token, created_at: now, registered_at: now };
  });
  await database.db.insertInto('devices').values(rows).execute();
}

async function schedule(options: object = {}): Promise<NotificationKey> {
  const { id: audienceId } = await everyoneAudience(database.db, appId, () => now);
  const body = JSON.stringify({ to: '*', payload: { alert: 'Hello' }, ...options });
  const values = { body, created_at: now, due_at: now };
  const app = { appId, bundleId: '', audienceId };
  return { appId, notificationId: await insertNotification(database.db, app, values) };
}

async function update(
  { notificationId }: NotificationKey,
  values: Updateable<NotificationsTable>,
): Promise<void> {
  await database.db.updateTable('notifications').set(values).where('id', '=', notificationId).execute();
}

const sent = () => ({ state: 'sent' as const, started_at: now, ended_at: now });

async function deliverAll(key: NotificationKey): Promise<void> {
  await planNotification(context, key);
  const { signal } = new AbortController();
  while (await deliverNextSlice(context, key, signal)) now = new Date(now.getTime() + 2_000);
}

async function report(key: NotificationKey): Promise<NotificationReport> {
  return readReport(database.db, key, () => now);
}

/** The first `count` pushes get this verdict. */
function refuseFirst(count: number, verdict: Verdict): void {
  let left = count;
  answer = () => (left-- > 0 ? verdict : { kind: 'accepted' });
}

const saying = (words: string): unknown => expect.stringContaining(words);

test('a report counts each reason over all slices, explains it, and draws the curve of the slices', async () => {
  await insertDevices(2_400);
  await insertDevices(7, false);
  refuseFirst(1_500, { kind: 'rejected', reason: 'BadTopic' });
  const key = await schedule();
  await deliverAll(key);
  const { reasons, uncounted, curve, notification_id: id } = await report(key);
  expect(id).toBe(key.notificationId);
  expect(reasons).toEqual([
    {
      outcome: 'rejected',
      reason: 'BadTopic',
      devices: 1_500,
      explanation: saying('not know the bundle id'),
    },
    { outcome: 'no_token', reason: null, devices: 7, explanation: saying('has no push token') },
  ]);
  expect(uncounted).toBe(0);
  expect(curve.step_seconds).toBe(1);
  expect(curve.points.map(({ at }) => at)).toEqual(
    [0, 2_000, 4_000].map((afterMs) => new Date(START + afterMs).toISOString()),
  );
  expect(curve.points.reduce((sum, { devices }) => sum + devices, 0)).toBe(2_407);
});

test('a long sending has a curve of longer steps', async () => {
  await insertDevices(1_200);
  const key = await schedule();
  await deliverAll(key);
  await update(key, { ended_at: new Date(START + POINTS_MAX * 60_000) });
  const { curve } = await report(key);
  expect(curve.step_seconds).toBe(60);
  expect(curve.points).toEqual([{ at: new Date(START).toISOString(), devices: 1_200 }]);
});

test('outcomes of a slice in progress are counted as well', async () => {
  await insertDevices(3);
  const key = await schedule();
  await planNotification(context, key);
  const slice = await leaseNextSlice(database.db, key, now);
  const outcome = { kind: 'rejected', reason: 'PayloadTooLarge', atMs: START } as const;
  await database.db
    .insertInto('delivery_progress')
    .values({
      app_id: appId,
      notification_id: key.notificationId,
      number: slice?.number ?? -1,
      attempt: 1,
      part: 0,
      outcomes: packOutcomes(new Map([[randomUUID(), outcome]])),
    })
    .execute();
  await update(key, { rejected: 2 });
  expect(await report(key)).toMatchObject({
    reasons: [{ outcome: 'rejected', reason: 'PayloadTooLarge', devices: 1 }],
    uncounted: 1,
    curve: { points: [] },
  });
});

test('a notification without slices has the reasons of its own row', async () => {
  const key = await schedule();
  const outcomes = new Map([
    [randomUUID(), { kind: 'unregistered', reason: 'Unregistered', atMs: START }],
    [randomUUID(), { kind: 'accepted', reason: null, atMs: START }],
  ] as const);
  const counters = { unregistered: 1, accepted: 1, devices: 2 };
  await update(key, { ...sent(), ...counters, outcomes: packOutcomes(new Map(outcomes)) });
  expect(await report(key)).toMatchObject({
    reasons: [{ outcome: 'unregistered', reason: 'Unregistered', devices: 1 }],
    uncounted: 0,
  });
});

test('a notification that failed before it was cut has one reason', async () => {
  await insertDevices(5);
  const key = await schedule({ max_recipients: 4 });
  await planNotification(context, key);
  const reason = 'max_recipients exceeded: the audience has 5 devices, at most 4 were allowed';
  expect((await report(key)).reasons).toEqual([
    { outcome: 'rejected', reason, devices: 5, explanation: `M${reason.slice(1)}.` },
  ]);
});

test('reasons that are no longer kept appear as uncounted', async () => {
  const key = await schedule();
  await update(key, { ...sent(), rejected: 4, devices: 4, pruned_at: now });
  expect(await report(key)).toMatchObject({ reasons: [], uncounted: 4, curve: { points: [] } });
});

test('a scheduled notification has nothing to report', async () => {
  expect(await report(await schedule())).toMatchObject({
    reasons: [],
    uncounted: 0,
    curve: { step_seconds: 1, points: [] },
  });
});

test('another app’s notification, an unknown one and a text that is no id are not found', async () => {
  const key = await schedule();
  const { id: otherApp } = await insertApp(database.db);
  for (const wrong of [
    { ...key, appId: otherApp },
    { ...key, notificationId: randomUUID() },
    { ...key, notificationId: 'x' },
  ]) {
    await expect(report(wrong)).rejects.toMatchObject({ code: 'not_found' });
  }
});
