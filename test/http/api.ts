/** A server on a database and a queue of its own, with two apps and their keys: what every HTTP test starts from. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import type { Simulator } from '@carillon/simulator';
import { createApiKey } from '../../src/apps/api-keys.ts';
import type { GatewayAddresses } from '../../src/apps/credentials/ask-gateways.ts';
import type { Scope } from '../../src/apps/scopes.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import type { ServerResources } from '../../src/http/call-deps.ts';
import { buildServer } from '../../src/http/server.ts';
import { parseJson } from '../../src/json/lossless.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { collectObservations, insertApp, useTestDatabase } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';

type KeyName = Scope | 'every';

export interface TestApp {
  id: string;
  bundleId: string;
  /** A key for each scope alone, and one that holds them all. */
  keys: Readonly<Record<KeyName, string>>;
}

export interface Call {
  /** The key `every` of the first app by default. */
  key?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  body: unknown;
  headers: LightMyRequestResponse['headers'];
}

export interface Api {
  readonly db: Kysely<Database>;
  readonly server: FastifyInstance;
  readonly queue: Queue;
  readonly app: TestApp;
  readonly otherApp: TestApp;
  readonly observations: Observation[];
  /** `call('POST /v6/devices', {body: …})` */
  call(address: string, call?: Call): Promise<Reply>;
  /** Another server on the same database and queue, which is closed after the tests of the file. */
  openServer(resources?: Partial<ServerResources>): FastifyInstance;
  /** Registers an Android device. @returns its id */
  newDevice(attributes?: object, key?: string): Promise<string>;
  /** @returns the id of a named audience */
  newAudience(filters: unknown, name?: string): Promise<string>;
  /** Sends a notification to everyone. @returns its id */
  newNotification(fields?: object): Promise<string>;
}

/** The API for the tests of a file: made before them, closed after. */
export function useApi(clock: Clock = systemClock): Api {
  const database = useTestDatabase();
  const { observe, seen } = collectObservations();
  const queue = openInProcessQueue({ observe });
  let opened: { server: FastifyInstance; app: TestApp; otherApp: TestApp } | undefined;
  const api = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the API is open only while tests run');
    return opened;
  };
  const others: FastifyInstance[] = [];
  beforeAll(async () => {
    const { db } = database;
    opened = {
      // A count that took long may be served again for a while: on a busy machine, any count may.
      server: buildServer({ db, queue, clock, secret: testSecret, observe, countMaxAgeMs: 0 }),
      app: await openApp(db, clock),
      otherApp: await openApp(db, clock),
    };
  });
  afterAll(async () => {
    for (const server of [...others, api().server]) await server.close();
    await queue.close();
  });
  const call: Api['call'] = async (address, options = {}) =>
    callServer(api().server, address, { key: api().app.keys.every, ...options });
  const create = async (address: string, body: unknown, key?: string): Promise<string> =>
    idIn(await call(address, { body, ...(key !== undefined && { key }) }));
  return {
    get db() {
      return database.db;
    },
    get server() {
      return api().server;
    },
    get app() {
      return api().app;
    },
    get otherApp() {
      return api().otherApp;
    },
    queue,
    observations: seen,
    call,
    openServer: (resources) => {
      const usual = { db: database.db, queue, clock, secret: testSecret, observe: observeNothing };
      const server = buildServer({ ...usual, ...resources });
      others.push(server);
      return server;
    },
    newDevice: async (attributes, key) => {
      const device = { platform: 'Android', push_token: randomUUID(), ...attributes };
      return create('POST /v6/devices', { device }, key);
    },
    newAudience: async (filters, name = 'Test') =>
      create('POST /v6/audiences', { audience: { name, filters } }),
    newNotification: async (fields) => {
      const notification = { to: '*', payload: { alert: 'hello' }, ...fields };
      return create('POST /v6/notifications', { notification });
    },
  };
}

const withId = z.object({ id: z.string() }).optional();
const made = z.object({ id: z.string().optional(), device: withId, audience: withId, webhook: withId });

/** The id of what a call has made, which its reply has alone or under a name: `{"id"}`, `{"device": {"id"}}`. */
export function idIn({ status, body }: Reply): string {
  const { id, device, audience, webhook } = made.parse(body);
  const found = id ?? (device ?? audience ?? webhook)?.id;
  if (found === undefined) throw new Error(`nothing was made: ${status} ${JSON.stringify(body)}`);
  return found;
}

/** One request by `inject`. No `authorization` where `key` is ''. */
export async function callServer(server: FastifyInstance, address: string, call: Call): Promise<Reply> {
  const space = address.indexOf(' ');
  const json = call.body === undefined ? undefined : JSON.stringify(call.body);
  const payload = call.raw ?? json;
  const response = await server.inject({
    method: address.slice(0, space),
    url: address.slice(space + 1),
    headers: {
      ...(call.key && { authorization: basic('', call.key) }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(payload !== undefined && { payload }),
  });
  const body = response.body === '' ? undefined : parseJson(response.body);
  return { status: response.statusCode, body, headers: response.headers };
}

/** For the checks of new credentials. */
export function gatewayAddressesOf({ urls, caPem: gatewayCa }: Simulator): GatewayAddresses {
  return {
    apnsProductionUrl: urls.apnsProduction,
    apnsSandboxUrl: urls.apnsSandbox,
    fcmUrl: urls.fcm,
    googleOauthUrl: urls.oauth,
    gatewayCa,
  };
}

export function basic(username: string, key: string): string {
  return `Basic ${Buffer.from(`${username}:${key}`).toString('base64')}`;
}

async function openApp(db: Kysely<Database>, clock: Clock): Promise<TestApp> {
  const { id, bundleId } = await insertApp(db);
  const keyFor = async (...scopes: Scope[]): Promise<string> =>
    (await createApiKey(db, { appId: id, scopes }, clock)).key;
  const keys = {
    read: await keyFor('read'),
    write: await keyFor('write'),
    register: await keyFor('register'),
    admin: await keyFor('admin'),
    every: await keyFor('read', 'write', 'register', 'admin'),
  };
  return { id, bundleId, keys };
}
