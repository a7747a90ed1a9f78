/** A worker and the API in this process, an app, a local Apple, and devices that register tokens through the API. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';
import { buildServer } from '../../../src/http/server.ts';
import { observeNothing as observe } from '../../../src/observe.ts';
import { type ReceivedPush, type Simulator, startSimulator } from '@carillon/simulator';
import { callServer, type Reply } from '../../http/api.ts';
import { useTestDatabase } from '../../support/database.ts';
import { testSecret as secret } from '../../support/secret.ts';
import { createSimulatedApp, type SimulatedApp } from '../../support/simulated-app.ts';
import { startTestWorker, type TestWorker } from '../../support/worker.ts';

const sentSchema = z.looseObject({
  state: z.string(),
  devices: z.number(),
  accepted: z.number(),
  unregistered: z.number(),
  dropped: z.number(),
  pending: z.number(),
});

export type Sent = z.output<typeof sentSchema>;

export interface ActivityApp {
  readonly database: ReturnType<typeof useTestDatabase>;
  readonly simulator: Simulator;
  readonly app: SimulatedApp;
  call(address: string, body?: object): Promise<Reply>;
  /** Registers a device. @returns its id and its push token for alerts */
  device(attributes?: object): Promise<{ id: string; pushToken: string }>;
  /** Registers a token for another push type. @returns the token */
  token(deviceId: string, type: string, name: string): Promise<string>;
  send(notification: object): Promise<string>;
  /** The notification, once it has this state. */
  whenEnded(id: string, state?: string): Promise<Sent>;
  outcome(id: string, deviceId: string): Promise<unknown>;
  pushes(token: string): ReceivedPush[];
}

export function useActivityApp(): ActivityApp {
  const database = useTestDatabase();
  let simulator: Simulator;
  let worker: TestWorker;
  let server: FastifyInstance;
  let app: SimulatedApp;

  beforeAll(async () => {
    const { db } = database;
    simulator = await startSimulator();
    worker = startTestWorker({ db, secret, simulator });
    server = buildServer({ db, queue: worker.queue, clock: systemClock, secret, observe });
  });
  beforeEach(async () => {
    simulator.reset();
    app = await createSimulatedApp(database.db, secret, simulator);
  });
  afterAll(async () => {
    await server.close();
    await worker.close();
    await simulator.close();
  });

  const call = async (address: string, body?: object): Promise<Reply> => {
    const reply = await callServer(server, address, { key: app.key, ...(body && { body }) });
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply;
  };
  return {
    database,
    get simulator() {
      return simulator;
    },
    get app() {
      return app;
    },
    call,
    device: async (attributes = {}) => {
      const pushToken = randomBytes(32).toString('hex');
      const device = { platform: 'iOS', push_token: pushToken, ...attributes };
      const { body } = await call('POST /v6/devices', { device });
      return { id: z.object({ device: z.object({ id: z.string() }) }).parse(body).device.id, pushToken };
    },
    token: async (deviceId, type, name) => {
      const pushToken = randomBytes(32).toString('hex');
      await call(`PUT /v6/devices/${deviceId}/tokens/${type}/${name}`, { push_token: pushToken });
      return pushToken;
    },
    send: async (notification) =>
      z.object({ id: z.string() }).parse((await call('POST /v6/notifications', { notification })).body).id,
    whenEnded: async (id, state = 'sent') =>
      vi.waitFor(
        async () => {
          const sent = sentSchema.parse((await call(`GET /v6/notifications/${id}`)).body);
          expect(sent.state).toBe(state);
          return sent;
        },
        { timeout: 30_000 },
      ),
    outcome: async (id, deviceId) => (await call(`GET /v6/notifications/${id}/deliveries/${deviceId}`)).body,
    pushes: (token) => simulator.received({ token }),
  };
}

export function update(state: object, more: object = {}): object {
  const { activity_id = 'order-4711', ...rest } = { activity_id: undefined, ...more };
  return {
    to: '*',
    live_activity: { event: 'update', activity_id: activity_id ?? 'order-4711', content_state: state },
    ...rest,
  };
}

export function end(state?: object): object {
  const content = state && { content_state: state };
  return { to: '*', live_activity: { event: 'end', activity_id: 'order-4711', ...content } };
}
