/** A worker with its real gateways against the simulator's faults: nothing is lost, and repeats are the same push. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { systemClock } from '../../src/clock.ts';
import { createNotification } from '../../src/notifications/create.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { NotificationReply } from '../../src/notifications/look-up/notification-reply.ts';
import { observeNothing } from '../../src/observe.ts';
import { type FaultOrder, type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { createSimulatedApp, insertDevices, type SimulatedApp } from '../support/simulated-app.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const DEVICES = 1_200;
const ENDS_WITHIN_MS = 25_000;

const database = useTestDatabase();
const secret = parseSecretKey(randomBytes(32).toString('hex'));
let simulator: Simulator;
let worker: TestWorker;
let app: SimulatedApp;

beforeAll(async () => {
  simulator = await startSimulator({ keep: 20_000 });
  worker = startTestWorker({ db: database.db, secret, simulator });
});

beforeEach(async () => {
  simulator.reset();
  app = await createSimulatedApp(database.db, secret, simulator);
  await insertDevices(database.db, app.id, DEVICES);
});

afterAll(async () => {
  await worker.close();
  await simulator.close();
});

/** @returns the id of a notification to everyone */
async function create(appId: string): Promise<string> {
  const body = { notification: { to: '*', payload: { alert: 'Hello' } } };
  const request = { appId, body, requestId: 'request-1' };
  const deps = { clock: systemClock, queue: worker.queue, observe: observeNothing };
  return (await createNotification(database.db, request, deps)).id;
}

async function whenSent(appId: string, id: string): Promise<NotificationReply> {
  return vi.waitFor(
    async () => {
      const record = await readNotification(database.db, appId, id, systemClock);
      expect(record.state).toBe('sent');
      return record;
    },
    { timeout: ENDS_WITHIN_MS, interval: 50 },
  );
}

const sendToAll = async (): Promise<NotificationReply> => whenSent(app.id, await create(app.id));

function repeats(record: NotificationReply): number {
  const pushes = [...simulator.pushesByToken(record.id).values()];
  return pushes.reduce((sum, count) => sum + count, 0) - record.devices;
}

const allAccepted = {
  devices: DEVICES,
  accepted: DEVICES,
  rejected: 0,
  unregistered: 0,
  ambiguous: 0,
  pending: 0,
};

describe('a push that was never processed', () => {
  const SOON = { headers: { 'retry-after': '1' } };
  type Answer = Extract<FaultOrder, { kind: 'answer' }>;
  const answer = (gateway: 'apns' | 'fcm', status: number, rest: Partial<Answer>): Answer => ({
    kind: 'answer',
    gateway,
    status,
    ...rest,
  });

  test.each<[string, FaultOrder[]]>([
    ['a GOAWAY every 200 requests', [{ kind: 'goaway', every: 200 }]],
    ['one stream in fifty refused', [{ kind: 'refuse', probability: 0.02, seed: 1 }]],
    [
      'one answer in a hundred a 503 with Retry-After',
      [
        answer('apns', 503, { reason: 'ServiceUnavailable', ...SOON, probability: 0.01, seed: 2 }),
        answer('fcm', 503, { reason: 'UNAVAILABLE', ...SOON, probability: 0.01, seed: 3 }),
      ],
    ],
    ['a 429 for the whole project', [answer('fcm', 429, { reason: 'QUOTA_EXCEEDED', ...SOON, times: 20 })]],
    [
      'an HTML 502',
      [
        answer('apns', 502, {
          body: '<html>Bad gateway</html>',
          headers: { 'content-type': 'text/html' },
          times: 10,
        }),
      ],
    ],
    [
      'an expired provider token and an unknown access token',
      [
        answer('apns', 403, { reason: 'ExpiredProviderToken', times: 1 }),
        answer('fcm', 401, { reason: 'UNAUTHENTICATED', times: 1 }),
      ],
    ],
  ])('a push that was never processed is sent again, exactly once: %s', async (_fault, faults) => {
    for (const fault of faults) simulator.orderFault(fault);
    const record = await sendToAll();
    expect(record).toMatchObject(allAccepted);
    expect(repeats(record)).toBe(0);
    expect(simulator.faults().every(({ used }) => used > 0)).toBe(true);
  });
});

describe('a push that may have been processed', () => {
  test.each<[string, FaultOrder]>([
    [
      'one stream in a hundred reset after the push was taken',
      { kind: 'reset', received: true, probability: 0.01, seed: 4 },
    ],
    ['a connection closed three times', { kind: 'drop', received: true, times: 3 }],
  ])('a push that may have been processed is sent once more, with the same id: %s', async (_fault, fault) => {
    simulator.orderFault(fault);
    const record = await sendToAll();
    expect(record.accepted + record.ambiguous).toBe(DEVICES);
    expect(simulator.pushesByToken(record.id).size).toBe(DEVICES);
    expect(repeats(record)).toBeGreaterThan(0);

    const pushes = simulator.received({ nid: record.id });
    for (const [first, ...others] of Map.groupBy(pushes, ({ token }) => token).values()) {
      for (const other of others) {
        expect(other.body).toBe(first?.body);
        for (const name of ['apns-id', 'apns-collapse-id']) {
          expect(other.headers[name]).toBe(first?.headers[name]);
        }
      }
    }
  });
});

test('two notifications of one app and one of another are sent at the same time', async () => {
  const other = await createSimulatedApp(database.db, secret, simulator);
  await insertDevices(database.db, other.id, DEVICES);
  simulator.orderFault({ kind: 'delay', delayMs: 20 });
  const appIds = [app.id, app.id, other.id];
  const created = await Promise.all(appIds.map(async (appId) => ({ appId, id: await create(appId) })));
  for (const { appId, id } of created) {
    expect(await whenSent(appId, id)).toMatchObject({ accepted: DEVICES });
  }
  // Each has begun before any has ended.
  const nids = simulator.received().map(({ nid }) => nid);
  const firsts = created.map(({ id }) => nids.indexOf(id));
  const lasts = created.map(({ id }) => nids.lastIndexOf(id));
  expect(Math.max(...firsts)).toBeLessThan(Math.min(...lasts));
});

describe('a database that saves nothing', () => {
  test('a bulk notification stops at the in-flight limit while nothing can be saved, and then sends each push once', async () => {
    app = await createSimulatedApp(database.db, secret, simulator);
    await insertDevices(database.db, app.id, 2 * DEVICES); // more than the limit
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const locking = database.db.transaction().execute(async (transaction) => {
      await sql`lock table delivery_progress in share mode`.execute(transaction);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    const ended = sendToAll();
    await vi.waitFor(() => expect(worker.unsaved.count).toBeGreaterThanOrEqual(256), 30_000);
    for (let trip = 0; trip < 100; trip++) await sql`select`.execute(database.db);
    // Three statements and three windows.
    expect(simulator.received().length).toBeLessThan(1_600);
    released.resolve();
    await locking;
    const record = await ended;
    expect(record).toMatchObject({ ...allAccepted, devices: 2 * DEVICES, accepted: 2 * DEVICES });
    expect(repeats(record)).toBe(0);
    expect(worker.unsaved.count).toBe(0);
  });
});
