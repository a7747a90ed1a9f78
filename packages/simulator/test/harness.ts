/** A simulator for the tests of a file, with one key, one account and a clock that the test owns. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ServiceAccount } from '../src/google/accounts.ts';
import { startSimulator } from '../src/simulator.ts';
import type { Simulator, SimulatorOptions } from '../src/surface.ts';
import { type Answer, appleToken, type Client, openClient, providerToken } from './client.ts';

export const TEAM = { teamId: 'TEAM000001', keyId: 'KEY0000001', bundleId: 'com.example.app' };
export const PROJECT = 'example-project';

/** For waits that only guard against hanging: on a busy machine, anything may be late by several seconds. */
export const PATIENCE = { timeout: 30_000 } as const;

export type Control = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: unknown }>;

export interface Harness {
  readonly simulator: Simulator;
  readonly key: ReturnType<Simulator['apple']['createKey']>;
  readonly account: ServiceAccount;
  readonly now: Date;
  advance(durationMs: number): void;
  /** A request to the control server. A body that is not text is sent as JSON. */
  control: Control;
  /** Closed after the test. */
  client(url: string): Promise<Client>;
  /** Sends one valid push to the local Apple, but for what is given. */
  pushApple(client: Client, change?: { token?: string; headers?: object; body?: string }): Promise<Answer>;
  /** Sends one valid push to the local Google, but for what is given. */
  pushGoogle(client: Client, change?: { message?: object; body?: string; headers?: object }): Promise<Answer>;
}

export function useSimulator(options: SimulatorOptions = {}): Harness {
  let now = new Date('2026-11-21T12:00:00.500Z');
  let started: Pick<Harness, 'simulator' | 'key' | 'account'> | undefined;
  let accessToken = '';
  const clients: Client[] = [];
  const harness = (): Pick<Harness, 'simulator' | 'key' | 'account'> => {
    if (started === undefined) throw new Error('the simulator runs only while tests run');
    return started;
  };

  beforeAll(async () => {
    const simulator = await startSimulator({ clock: () => now, ...options });
    const key = simulator.apple.createKey(TEAM);
    const account = simulator.google.createServiceAccount({ projectId: PROJECT });
    accessToken = simulator.google.createAccessToken({ projectId: PROJECT });
    started = { simulator, key, account };
  });
  afterEach(() => {
    started?.simulator.reset();
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await started?.simulator.close();
  });

  return {
    get simulator() {
      return harness().simulator;
    },
    get key() {
      return harness().key;
    },
    get account() {
      return harness().account;
    },
    get now() {
      return now;
    },
    advance: (durationMs) => {
      now = new Date(now.getTime() + durationMs);
    },
    control: async (method, path, body) => {
      const response = await fetch(`${harness().simulator.urls.control}${path}`, {
        method,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(5000),
      });
      return { status: response.status, body: await response.json() };
    },
    client: async (url) => {
      const client = await openClient(url, harness().simulator.caPem);
      clients.push(client);
      return client;
    },
    pushApple: (client, { token = appleToken(1), headers = {}, body } = {}) =>
      client.request(
        {
          ':path': `/3/device/${token}`,
          authorization: `bearer ${providerToken(harness().key, now)}`,
          'apns-topic': TEAM.bundleId,
          ...headers,
        },
        body ?? JSON.stringify({ aps: { alert: 'Hello' }, _nid: 'n1' }),
      ),
    pushGoogle: (client, { message = {}, body, headers = {} } = {}) =>
      client.request(
        {
          ':path': `/v1/projects/${PROJECT}/messages:send`,
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          ...headers,
        },
        body ??
          JSON.stringify({
            message: { token: 'device:one', data: { _nid: 'n1', alert: 'Hello' }, ...message },
          }),
      ),
  };
}
