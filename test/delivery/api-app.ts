/**
 * A server, a worker and an app in this process: the tests call the API as a back end and as devices do, and look at what the
 * simulated gateways got.
 */
import { randomUUID } from 'node:crypto';
import type { ReceivedPush } from '@carillon/simulator';
import { beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../src/clock.ts';
import { callServer, type Reply } from '../http/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { PATIENCE } from '../support/patience.ts';
import { newToken } from '../support/push-token.ts';
import { testSecret } from '../support/secret.ts';
import { useSendingApp } from '../support/sending-app.ts';
import { createSimulatedApp, type SimulatedApp } from '../support/simulated-app.ts';

/** A device, and its push token. */
export interface Phone {
  id: string;
  token: string;
}

const withId = z.object({ id: z.string() });
const storedNotification = z.looseObject({ state: z.string() });

/** What devices show of a notification to which the tests give no text. */
export const ORDER = { title: 'Order 4711', alert: 'It is on its way.' };

/**
 * @param options `newAppEachTest`: by default all tests of a file have the same app; `clock`: of the server
 */
export function useApiApp({
  newAppEachTest = false,
  clock,
}: { newAppEachTest?: boolean; clock?: Clock } = {}) {
  const database = useTestDatabase();
  const sending = useSendingApp(database, clock);
  let ofTest: SimulatedApp | undefined;
  const makeApp = async (): Promise<SimulatedApp> =>
    createSimulatedApp(database.db, testSecret, sending.simulator);
  if (newAppEachTest) {
    beforeEach(async () => {
      sending.simulator.reset();
      ofTest = await makeApp();
    });
  }
  const theApp = (): SimulatedApp => ofTest ?? sending.app;

  /** Calls the server, whatever the status of its reply. @param body sent as it is if it is text */
  async function tryCall(address: string, body?: object | string, app = theApp()): Promise<Reply> {
    const sent = typeof body === 'string' ? { raw: body } : body && { body };
    return callServer(sending.server, address, { key: app.key, ...sent });
  }

  /** @returns the body of the reply to a call that must succeed */
  async function call(address: string, body?: object | string): Promise<unknown> {
    const reply = await tryCall(address, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  }

  async function send(notification: object): Promise<string> {
    return withId.parse(await call('POST /v6/notifications', { notification })).id;
  }

  /** @returns the notification, once it has ended */
  async function ended(id: string): Promise<Record<string, unknown>> {
    return vi.waitFor(async () => {
      const stored = storedNotification.parse(await call(`GET /v6/notifications/${id}`));
      if (['scheduled', 'sending'].includes(stored.state)) throw new Error('not ended yet');
      return stored;
    }, PATIENCE);
  }

  return {
    get db() {
      return database.db;
    },
    get simulator() {
      return sending.simulator;
    },
    get server() {
      return sending.server;
    },
    get worker() {
      return sending.worker;
    },
    get app() {
      return theApp();
    },
    makeApp,
    tryCall,
    call,
    send,
    ended,
    /** Sends a notification. @returns it, once it has ended */
    push: async (to: unknown, rest: object = {}) => ended(await send({ to, payload: ORDER, ...rest })),
    /** Registers a device, whatever the reply. */
    tryRegister: async (device: object): Promise<{ status: number; id: string; body: unknown }> => {
      const { status, body } = await tryCall('POST /v6/devices', { device });
      return { status, id: textAt(body, 'device', 'id'), body };
    },
    /** Registers a phone with a new push token. */
    register: async (attributes: object = {}, platform: 'iOS' | 'Android' = 'iOS'): Promise<Phone> => {
      const token = platform === 'iOS' ? newToken() : `android-${randomUUID()}`;
      const device = { platform, push_token: token, ...attributes };
      return { id: textAt(await call('POST /v6/devices', { device }), 'device', 'id'), token };
    },
    /** @returns the push that a device got, once it has arrived */
    received: async (nid: string, token: string): Promise<ReceivedPush> =>
      vi.waitFor(() => {
        const [push] = sending.simulator.received({ nid, token });
        if (push === undefined) throw new Error('it has not arrived yet');
        return push;
      }, PATIENCE),
  };
}

/** The value at a path of keys, as text. */
export function textAt(value: unknown, ...keys: string[]): string {
  return String(keys.reduce((inner: unknown, key) => Reflect.get(Object(inner), key), value));
}
