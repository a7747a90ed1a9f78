/** A route that is refused, or that calls nearly every token dead, loses no push: sending waits, and goes on. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { putApnsCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { readDelivery } from '../../src/results/history/device-outcome.ts';
import { resumeRoutes } from '../../src/delivery/routes/route-store.ts';
import { createNotification } from '../../src/notifications/create.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { NotificationReply } from '../../src/notifications/look-up/notification-reply.ts';
import { reasonSentence } from '../../src/gateways/reason.ts';
import type { Observation } from '../../src/observe.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { createSimulatedApp, newAppleId, type SimulatedApp } from '../support/simulated-app.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';
import { insertPhones } from './in-process.ts';

const database = useTestDatabase();
const secret = { current: createSecretKey(randomBytes(32)) };
const WITHIN_MS = 20_000;
const PAUSED: unknown = expect.stringMatching(/is paused/);
vi.setConfig({ testTimeout: 60_000 });

let simulator: Simulator;
let app: SimulatedApp;
let worker: TestWorker;
let seen: Observation[];
/** How far the clock of the server is ahead of Apple's. */
let aheadMs: number;
let onSeen: (observation: Observation) => void;

beforeAll(async () => {
  simulator = await startSimulator({ keep: 20_000, initialStreams: 100 });
});
afterAll(async () => simulator.close());

beforeEach(async () => {
  simulator.reset();
  app = await createSimulatedApp(database.db, secret, simulator);
  seen = [];
  aheadMs = 0;
  onSeen = () => undefined;
  worker = startWorker();
});
afterEach(async () => worker.close());

function startWorker(): TestWorker {
  return startTestWorker({
    db: database.db,
    secret,
    simulator,
    clock: () => new Date(Date.now() + aheadMs),
    observe: (observation) => {
      seen.push(observation);
      onSeen(observation);
    },
  });
}

const seenOf = <Kind extends Observation['kind']>(kind: Kind): Extract<Observation, { kind: Kind }>[] =>
  seen.filter(
    (observation): observation is Extract<Observation, { kind: Kind }> => observation.kind === kind,
  );

/** @returns their ids */
const insertDevices = async (count: number, columns: { development?: boolean } = {}): Promise<string[]> =>
  insertPhones({ db: database.db, appId: app.id, at: new Date() }, count, columns);

async function notify(options: Record<string, unknown> = {}): Promise<string> {
  const body = { notification: { to: '*', payload: { alert: 'Hello' }, ...options } };
  const created = await createNotification(
    database.db,
    { appId: app.id, body, requestId: 'request-1' },
    { clock: systemClock, queue: worker.queue, observe: () => undefined },
  );
  return created.id;
}

const read = async (id: string): Promise<NotificationReply> =>
  readNotification(database.db, app.id, id, systemClock);

async function until(id: string, wanted: Record<string, unknown>): Promise<NotificationReply> {
  return vi.waitFor(
    async () => {
      const record = await read(id);
      expect(record).toMatchObject(wanted);
      return record;
    },
    { timeout: WITHIN_MS, interval: 50 },
  );
}

async function tokensLeft(): Promise<number> {
  const { left } = await database.db
    .selectFrom('devices')
    .select(({ fn }) => fn.count<number>('push_token').as('left'))
    .where('app_id', '=', app.id)
    .executeTakeFirstOrThrow();
  return left;
}

/** The credentials have worked before. */
async function prove(): Promise<void> {
  await insertDevices(1);
  const id = await notify();
  await until(id, { state: 'sent', accepted: 1 });
}

/** Every push to Apple meets it. */
function answer(status: number, reason: string, environment?: 'production' | 'sandbox'): void {
  simulator.orderFault({
    kind: 'answer',
    status,
    reason,
    gateway: 'apns',
    ...(environment !== undefined && { environment }),
  });
}

/** The operator hands in a key that is good. */
async function replaceKey(environment: 'all' | 'sandbox' = 'all'): Promise<void> {
  const owner = { teamId: newAppleId(), keyId: newAppleId() };
  const { keyId, teamId, privateKeyPem } = simulator.apple.createKey({ ...owner, bundleId: app.bundleId });
  const key = { appId: app.id, keyId, teamId, privateKey: privateKeyPem, environment };
  await putApnsCredentials(database.db, secret, key, systemClock);
}

const untilPaused = async (): Promise<void> =>
  vi.waitFor(() => expect(seenOf('route_paused')).not.toEqual([]), { timeout: WITHIN_MS, interval: 20 });

describe('credentials that worked before', () => {
  test('credentials that worked before lose no push while the clock is wrong during a bulk notification', async () => {
    await insertDevices(4_000);
    // The first push goes alone. Later on, a slow machine may have all of them in progress, with the good token.
    onSeen = ({ kind }) => {
      if (kind === 'push_finished' && seenOf('route_paused').length === 0) aheadMs = 2 * 3_600_000;
    };
    const id = await notify();
    await untilPaused();
    const waiting = await until(id, {
      reason: 'Apple is paused: a new token is refused (InvalidProviderToken): the clock is 2 h ahead',
    });
    expect(waiting.state).toBe('sending');
    expect(waiting.accepted).toBeLessThan(4_000);
    expect(waiting.rejected).toBe(0);
    onSeen = () => undefined;
    aheadMs = 0;
    await until(id, { state: 'sent', reason: null, accepted: 4_000, rejected: 0, pending: 0 });
    expect(seenOf('route_paused')).toHaveLength(1);
    expect(seenOf('route_resumed')).toHaveLength(1);
  });

  test('refused credentials are probed one push at a time, and all pushes go on at once with new ones', async () => {
    await prove();
    await insertDevices(1_200);
    answer(403, 'InvalidProviderToken');
    const id = await notify();
    await until(id, {
      state: 'sending',
      reason: 'Apple is paused: credentials that worked before are refused (InvalidProviderToken)',
    });
    const before = simulator.counts().apns.requests;
    await worker.close();
    worker = startWorker(); // what another process knows, it has read
    const second = await notify();
    await until(second, { state: 'sending', reason: PAUSED });
    expect(simulator.counts().apns.requests - before).toBeLessThanOrEqual(3);

    simulator.clearFaults();
    await replaceKey();
    for (const each of [id, second]) {
      await until(each, { state: 'sent', reason: null, accepted: 1_201, rejected: 0, pending: 0 });
    }
    expect(seenOf('route_paused')).toHaveLength(1);
    expect(seenOf('credentials_refused')).toEqual([]);
  });

  test('refused credentials leave devices rejected after the time to live, and the notification shows why', async () => {
    await prove();
    const [device] = await insertDevices(150);
    answer(403, 'Forbidden');
    const id = await notify({ time_to_live: 3_600 });
    const reason = 'Apple is paused: credentials that worked before are refused (Forbidden)';
    await until(id, { state: 'sending', reason });
    aheadMs = 3_600_000 + 1_000;
    await until(id, { state: 'failed', reason, rejected: 151, pending: 0 });
    const key = { appId: app.id, notificationId: id, deviceId: String(device), now: new Date() };
    expect(await readDelivery(database.db, key)).toMatchObject({
      outcome: 'rejected',
      reason: reasonSentence('route_paused'),
    });
    expect(await tokensLeft()).toBe(151);
  });
});

describe('a sandbox that refuses the key', () => {
  const DEVELOPMENT = { development: true };

  test('a sandbox that never accepted the key rejects development devices, and all others are sent to', async () => {
    await insertDevices(400);
    await insertDevices(8, DEVELOPMENT);
    answer(403, 'BadEnvironmentKeyInToken', 'sandbox');
    const id = await notify();
    const record = await until(id, { state: 'sent', accepted: 400, rejected: 8, pending: 0 });
    expect(record.reason).toBe('credentials refused: apns_sandbox BadEnvironmentKeyInToken');
  });

  test('a sandbox that accepted the key before lets only development devices wait, for a key of their own', async () => {
    await insertDevices(1, DEVELOPMENT);
    await until(await notify(), { state: 'sent', accepted: 1 });
    await insertDevices(400);
    await insertDevices(7, DEVELOPMENT);
    answer(403, 'BadEnvironmentKeyInToken', 'sandbox');
    const id = await notify();
    await until(id, { state: 'sending', accepted: 400, pending: 8 });
    simulator.clearFaults();
    await replaceKey('sandbox');
    await until(id, { state: 'sent', reason: null, accepted: 408, rejected: 0 });
  });
});

describe('a route that calls nearly every token dead', () => {
  test.each([
    ['BadDeviceToken', 'proven'],
    ['DeviceTokenNotForTopic', 'unproven'],
  ])(
    'a route that calls nearly every token dead retires none (%s, credentials %s) and goes on when resumed',
    async (word, known) => {
      if (known === 'proven') await prove();
      await insertDevices(1_200);
      const all = await tokensLeft();
      answer(400, word);
      const id = await notify();
      const record = await until(id, {
        state: 'sending',
        reason: expect.stringContaining(`Apple is paused: most push tokens are refused (${word}); check`),
      });
      expect(record).toMatchObject({ unregistered: 0, rejected: 0 });
      expect(await tokensLeft()).toBe(all);
      await untilPaused();
      expect(seenOf('route_paused')).toHaveLength(1);

      simulator.clearFaults();
      expect(await resumeRoutes(database.db, { appId: app.id }, new Date())).toEqual(['apns_production']);
      await until(id, { state: 'sent', reason: null, accepted: all, unregistered: 0, rejected: 0 });
      expect(await tokensLeft()).toBe(all);
    },
  );

  test('a route that calls nearly every token dead keeps all tokens if no operator acts within the time to live', async () => {
    await insertDevices(300);
    answer(400, 'BadDeviceToken');
    const id = await notify({ time_to_live: 600 });
    const { reason } = await until(id, {
      state: 'sending',
      reason: PAUSED,
    });
    aheadMs = 601_000;
    await until(id, { state: 'failed', reason, rejected: 300, unregistered: 0 });
    expect(await tokensLeft()).toBe(300);
  });

  test('a route that calls nearly every token dead has them retired after an operator has resumed it', async () => {
    await insertDevices(300);
    answer(400, 'BadDeviceToken');
    const id = await notify();
    await until(id, { state: 'sending', reason: PAUSED });
    await resumeRoutes(database.db, { appId: app.id, only: 'apns_production' }, new Date());
    await until(id, { state: 'sent', unregistered: 300 });
    expect(await tokensLeft()).toBe(0);
  });

  test('a route that calls nearly every token dead pauses other workers at their next slice', async () => {
    await insertDevices(300);
    answer(400, 'BadDeviceToken');
    await until(await notify(), { state: 'sending', reason: PAUSED });
    const before = simulator.counts().apns.requests;
    await worker.close();
    worker = startWorker();
    await until(await notify(), { state: 'sending', reason: PAUSED });
    expect(simulator.counts().apns.requests).toBe(before);
  });
});

describe('dead tokens are retired', () => {
  test('dead tokens are retired without limit if Apple reports them unregistered with a timestamp', async () => {
    await insertDevices(400);
    answer(410, 'Unregistered');
    await until(await notify(), { state: 'sent', unregistered: 400 });
    expect(await tokensLeft()).toBe(0);
  });

  test('dead tokens are retired if they are half of the list', async () => {
    await prove();
    await insertDevices(200);
    const dead = database.db
      .selectFrom('devices')
      .select('push_token')
      .where('id', 'in', await insertDevices(200));
    for (const { push_token } of await dead.execute()) {
      const token = String(push_token);
      simulator.orderFault({ kind: 'answer', status: 400, reason: 'BadDeviceToken', gateway: 'apns', token });
    }
    await until(await notify(), { state: 'sent', unregistered: 200, accepted: 201 });
    expect(await tokensLeft()).toBe(201);
  });

  test.each([
    ['a few dead tokens are retired if the credentials worked before', true, 9, 0],
    ['sixty dead tokens in a row are kept, also if the credentials worked before', true, 60, 60],
    ['dead tokens are kept with new credentials', false, 9, 9],
  ])('%s', async (_what, isProven, count, left) => {
    if (isProven) await prove();
    await insertDevices(isProven ? count - 1 : count);
    answer(400, 'BadDeviceToken');
    await until(await notify(), { state: 'sent', unregistered: count });
    expect(await tokensLeft()).toBe(left);
    expect(seenOf('route_paused')).toEqual([]);
  });

  test('dead tokens are not retired one by one if no push was ever accepted', async () => {
    answer(400, 'BadDeviceToken');
    await insertDevices(1);
    for (let push = 1; push < 10; push++) await until(await notify(), { state: 'sent', unregistered: 1 });
    await until(await notify(), { state: 'sending', reason: PAUSED });
    expect(await tokensLeft()).toBe(1);
  });
});
