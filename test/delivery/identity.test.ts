/** The whole way of a device that stays itself: the API, a worker, and gateways that refuse and take its tokens. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openTokenKeys } from '../../src/apps/token-keys.ts';
import { systemClock } from '../../src/clock.ts';
import { type Gateways, openGateways } from '../../src/delivery/send/open-gateways.ts';
import { type DeliveryWorker, sliceDeliverer, startDeliveryWorker } from '../../src/delivery/worker.ts';
import { openApns } from '../../src/gateways/apns/apns.ts';
import { openFcm } from '../../src/gateways/fcm/fcm.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { buildServer } from '../../src/http/server.ts';
import { observeNothing as observe } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { startPeriodicJobs } from '../../src/queue/periodic-jobs.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { testSecret as secret } from '../support/secret.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';

const database = useTestDatabase();
const clock = systemClock;
let simulator: Simulator;
let gateways: Gateways;
let queue: Queue;
let worker: DeliveryWorker;
let sweeping: { close(): Promise<void> };
let server: FastifyInstance;
let app: SimulatedApp;

beforeAll(async () => {
  const { db } = database;
  simulator = await startSimulator();
  const { urls, caPem: ca } = simulator;
  const unsaved = new UnsavedOutcomes();
  gateways = openGateways({
    db,
    secret,
    clock,
    observe,
    fcmPushesPerMinute: 600_000,
    open: {
      apns: (onApns) => {
        const url = onApns.route === 'apns_production' ? urls.apnsProduction : urls.apnsSandbox;
        return openApns({ ...onApns, url, ca, clock, observe });
      },
      fcm: (credentials) =>
        openFcm({ credentials, fcmUrl: urls.fcm, oauthUrl: urls.oauth, ca, clock, observe }),
      webPush: () => {
        throw new Error('no app of this test has browsers');
      },
    },
  });
  queue = openInProcessQueue({ observe });
  const tokenKeys = openTokenKeys(db, secret);
  const resources = { db, gateways, tokenKeys, unsaved, clock, observe, random: Math.random };
  worker = startDeliveryWorker({ ...resources, queue, bulk: { deliver: sliceDeliverer(resources) } });
  sweeping = startPeriodicJobs([worker.sweep], observe);
  server = buildServer({ db, queue, clock, secret, observe });
});

beforeEach(async () => {
  simulator.reset();
  app = await createSimulatedApp(database.db, secret, simulator);
});

afterAll(async () => {
  await server.close();
  await sweeping.close();
  await worker.close();
  await queue.close();
  await gateways.close();
  await simulator.close();
});

async function call(method: 'GET' | 'POST' | 'PUT', url: string, body?: object): Promise<unknown> {
  const authorization = `Basic ${Buffer.from(`:${app.key}`).toString('base64')}`;
  const response = await server.inject({
    method,
    url,
    headers: { authorization },
    ...(body !== undefined && { payload: body }),
  });
  expect(response.statusCode, response.body).toBeLessThan(300);
  return response.json();
}

const oneDevice = z.object({
  device: z.object({ id: z.string(), push_token: z.string().nullable(), push_token_type: z.string() }),
});

async function register(device: object): Promise<z.output<typeof oneDevice>['device']> {
  return oneDevice.parse(await call('POST', '/v6/devices', { device })).device;
}

/** @returns what became of it, once it is over */
async function pushTo(to: unknown): Promise<Record<string, unknown>> {
  const created = await call('POST', '/v6/notifications', {
    notification: { to, payload: { alert: 'Hello' } },
  });
  const { id } = z.object({ id: z.string() }).parse(created);
  return vi.waitFor(
    async () => {
      const read = await call('GET', `/v6/notifications/${id}`);
      const notification = z.looseObject({ state: z.string() }).parse(read);
      expect(notification.state).toBe('sent');
      return notification;
    },
    { timeout: 30_000 },
  );
}

function newToken(): string {
  return randomBytes(32).toString('hex');
}

test('a debug build that registered as production is reached once it sets development', async () => {
  const token = newToken();
  simulator.apple.registerDevice({ token, topic: app.bundleId, environment: 'sandbox' });
  const { id } = await register({ platform: 'iOS', push_token: token });
  expect(await pushTo('*')).toMatchObject({ unregistered: 1 });
  await call('PUT', `/v6/devices/${id}`, { device: { development: true } });
  expect(await pushTo([{ name: 'development', criteria: [true] }])).toMatchObject({ accepted: 1 });
  expect(simulator.received({ token })).toMatchObject([{ environment: 'sandbox' }]);
  expect((await register({ platform: 'iOS', push_token: token })).id).toBe(id);
});

test('a device whose token was retired is reached by its id once its app has registered again', async () => {
  const token = newToken();
  const { id } = await register({ platform: 'iOS', push_token: token });
  const to = [{ name: 'device_id', criteria: [id] }];
  simulator.orderFault({ kind: 'answer', token, times: 1, status: 410, reason: 'Unregistered' });
  expect(await pushTo(to)).toMatchObject({ unregistered: 1 });
  expect(await pushTo(to)).toMatchObject({ no_token: 1 });
  expect((await register({ platform: 'iOS', push_token: token })).id).toBe(id);
  expect(await pushTo(to)).toMatchObject({ accepted: 1 });
});

test('a device that switches to its installation id keeps its identity, and is sent to by it', async () => {
  const fid = 'cAbCdEfGhIjKlMnOpQrStU';
  const token = `${fid}:APA91bF-sample`;
  simulator.google.registerInstallation(fid);
  const { id } = await register({ platform: 'Android', push_token: token });
  const to = [{ name: 'device_id', criteria: [id] }];
  expect(await pushTo(to)).toMatchObject({ accepted: 1 });
  const moved = await register({ platform: 'Android', push_token: fid, previous_push_token: token });
  expect(moved).toMatchObject({ id, push_token_type: 'fid' });
  expect(await pushTo(to)).toMatchObject({ accepted: 1 });
  expect(simulator.received({ token: fid })).toMatchObject([{ message: { fid } }]);
  expect(simulator.received({ token })).toHaveLength(1);
});
