/** The id of the request that created a notification is on every line about it, in every process and at any time. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DeliveryWorker, sliceDeliverer, startDeliveryWorker } from '../../src/delivery/worker.ts';
import type { Recipient, Verdict } from '../../src/gateways/gateway.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { cancelNotification } from '../../src/notifications/cancel.ts';
import { createNotification } from '../../src/notifications/create.ts';
import type { Observation } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { startPeriodicJobs } from '../../src/queue/periodic-jobs.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { giveCredentials } from '../support/credentials.ts';
import { collectObservations, insertApp, useTestDatabase } from '../support/database.ts';
import { fakeGateway } from '../support/gateways.ts';
import { insertDevices } from '../support/simulated-app.ts';
import { tokenKeys } from '../support/token-keys.ts';

const database = useTestDatabase();
const PATIENCE = { timeout: 30_000, interval: 10 };

let appId: string;
let now: Date;
let observe: ReturnType<typeof collectObservations>['observe'];
let seen: Observation[];
let queue: Queue;
let worker: DeliveryWorker | undefined;
let sweeping: { close(): Promise<void> } | undefined;
let answer: (recipient: Recipient, tries: number) => Verdict;

beforeEach(async () => {
  ({ id: appId } = await insertApp(database.db));
  now = new Date();
  ({ observe, seen } = collectObservations());
  queue = openInProcessQueue({ observe });
  answer = () => ({ kind: 'accepted' });
});
afterEach(async () => {
  await sweeping?.close();
  sweeping = undefined;
  await worker?.close();
  worker = undefined;
  await queue.close();
});

function startWorker(forApp?: () => Promise<never>): void {
  const tries = new Map<string, number>();
  const take = (recipient: Recipient): Verdict => {
    const tried = (tries.get(recipient.deviceId) ?? 0) + 1;
    tries.set(recipient.deviceId, tried);
    return answer(recipient, tried);
  };
  const credentialsAccepted = true;
  const opened = {
    apns_production: fakeGateway('apns_production', take, { credentialsAccepted }),
    fcm: fakeGateway('fcm', take, { credentialsAccepted }),
  };
  const gateways = { forApp: forApp ?? (async () => opened), close: async () => undefined };
  const { db } = database;
  const unsaved = new UnsavedOutcomes();
  const resources = {
    db,
    gateways,
    tokenKeys,
    unsaved,
    clock: () => new Date(Math.max(now.getTime(), Date.now())), // runs, because retries are waited for
    observe,
    random: () => 0,
  };
  worker = startDeliveryWorker({ ...resources, queue, bulk: { deliver: sliceDeliverer(resources) } });
  sweeping = startPeriodicJobs([worker.sweep], observe);
}

/** Creates one as a request with that id. `lost`: its job never reaches the queue. */
async function create(requestId: string, options: object = {}, lost = false): Promise<string> {
  const body = { notification: { to: '*', payload: { alert: 'Hello' }, ...options } };
  const add: Queue['add'] = async (jobs) => (lost ? undefined : queue.add(jobs));
  const request = { appId, body, requestId };
  const { id } = await createNotification(database.db, request, {
    clock: () => now,
    queue: { add },
    observe,
  });
  return id;
}

/** The kinds that are logged about a notification until its end, each with that request and no other. */
async function expectTold(id: string, requestId: string, kinds: readonly string[]): Promise<void> {
  await vi.waitFor(() => {
    const about = seen.filter((reported) => 'notificationId' in reported && reported.notificationId === id);
    const reported = new Set(about.map((each) => `${each.kind} ${'requestId' in each && each.requestId}`));
    expect([...reported].sort()).toEqual(kinds.map((kind) => `${kind} ${requestId}`));
  }, PATIENCE);
}

/** Every kind that is logged about a notification with all outcomes among its pushes. */
const ALL_KINDS = [
  'credentials_refused',
  'notification_ended',
  'notification_planned',
  'push_finished',
  'push_retried',
  'slice_finished',
  'slice_recorded',
];
const UNTROUBLED_KINDS = ALL_KINDS.filter((kind) => !['credentials_refused', 'push_retried'].includes(kind));
const troubled: typeof answer = ({ pushToken }, tries) => {
  if (pushToken.startsWith('android')) return { kind: 'credentials_refused', reason: 'UNAUTHENTICATED' };
  if (tries === 1) return { kind: 'retry', reason: 'Shutdown', afterMs: 0, scope: 'device' };
  return { kind: 'ambiguous', reason: 'the session ended' };
};

describe('the request id of a notification', () => {
  test.each([
    ['of a few devices', 4, false],
    ['of several slices', 1_500, false],
    ['whose job is lost, so that a sweep finds it,', 4, true],
  ])('the request id of a notification %s is on every line about it', async (_what, devices, isLost) => {
    await giveCredentials({ db: database.db, appId, at: now }, 'apns', 'fcm');
    await insertDevices(database.db, appId, devices);
    answer = troubled;
    if (!isLost) startWorker();
    const id = await create('request-1', {}, isLost);
    if (isLost) startWorker();
    await expectTold(id, 'request-1', ALL_KINDS);
  });

  test('the request id of a notification waits with it for its deliver_at', async () => {
    await giveCredentials({ db: database.db, appId, at: now }, 'apns', 'fcm');
    await insertDevices(database.db, appId, 4);
    const id = await create('request-3', { deliver_at: new Date(now.getTime() + 3_600_000).toISOString() });
    now = new Date(now.getTime() + 3_600_000);
    startWorker();
    await expectTold(id, 'request-3', UNTROUBLED_KINDS);
  });

  test.each([
    ['counted only', { dry_run: true }],
    ['too large', { max_recipients: 1 }],
    ['without credentials', {}],
  ])('the request id is on the end of a notification that is %s', async (_what, options) => {
    await insertDevices(database.db, appId, 4);
    startWorker();
    await expectTold(await create('request-4', options), 'request-4', ['notification_ended']);
  });

  test('the request id is on the end of a notification that is canceled', async () => {
    const id = await create('request-5', {}, true);
    await cancelNotification(database.db, appId, id, { clock: () => now, observe });
    await expectTold(id, 'request-5', ['notification_ended']);
  });

  test('the request id is on the failure of a notification that could not be started', async () => {
    const broken = new Error('sealed with another key');
    await giveCredentials({ db: database.db, appId, at: now }, 'apns', 'fcm');
    await insertDevices(database.db, appId, 4);
    startWorker(async () => {
      throw broken;
    });
    const notificationId = await create('request-6');
    const of = { notificationId, requestId: 'request-6' };
    const failed = { kind: 'job_failed', job: 'start', ...of, error: broken };
    await vi.waitFor(() => expect(seen).toContainEqual(failed), PATIENCE);
  });

  test('the request id is that of the first of two requests with one idempotency key', async () => {
    const body = { notification: { to: '*', payload: { alert: 'Hello' } } };
    const deps = { clock: () => now, queue, observe };
    const request = { appId, body, idempotencyKey: 'order-1' };
    const first = await createNotification(database.db, { ...request, requestId: 'first' }, deps);
    const second = await createNotification(database.db, { ...request, requestId: 'second' }, deps);
    expect(second.id).toBe(first.id);
    const stored = database.db.selectFrom('notifications').where('id', '=', first.id);
    expect(await stored.select('request_id').execute()).toEqual([{ request_id: 'first' }]);
  });
});
