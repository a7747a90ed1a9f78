/** The gateway against the simulator's push service, which decrypts with code of its own. */
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { type Simulator, startSimulator } from '@carillon/simulator';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Gateway, PushMessage, Recipient } from '../../../src/gateways/gateway.ts';
import { openEncryption } from '../../../src/gateways/web-push/encrypt.ts';
import { joinedKeys } from '../../../src/gateways/web-push/subscription.ts';
import { makeVapidKey } from '../../../src/gateways/web-push/vapid-key.ts';
import { openWebPush } from '../../../src/gateways/web-push/web-push.ts';
import { observeNothing as observe } from '../../../src/observe.ts';
import { makeCertificate, portOf } from '../../../packages/http2-client/test/peer.ts';
import { sendHeldBack } from '../../support/gateways.ts';

const clock = (): Date => new Date();
const always = (): boolean => true;
const key = makeVapidKey();

let simulator: Simulator;
const open: Gateway[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (gateway) => gateway.close()));
  simulator.web.set({ http1Only: false });
});

afterAll(async () => {
  await simulator.close();
});

function gatewayTo(
  host: string,
  { ca = simulator.caPem, ...others }: Partial<Parameters<typeof openWebPush>[0]> = {},
): Gateway {
  const gateway = openWebPush({
    credentials: { ...key, subject: 'mailto:push@example.com', url: 'https://example.com/' },
    encryption: openEncryption({ now: Date.now }),
    hosts: { names: [host], any: false },
    resolve: async () => [],
    ca,
    clock,
    observe,
    ...others,
  });
  open.push(gateway);
  return gateway;
}

const gateway = (): Gateway => gatewayTo(new URL(simulator.urls.web).host);

function message(rest: Partial<PushMessage> = {}): PushMessage {
  const notificationId = '0d7c1b9e-6f51-4d5e-9a53-5a2f0b6f8c11';
  const payload = { title: 'Order 4711', alert: 'It is on its way.' };
  return { notificationId, payload, priority: 'high', timeToLiveSeconds: 3600, dueAt: clock(), ...rest };
}

type Subscribing = Parameters<Simulator['web']['subscribe']>[0];

function browser(options: Subscribing = {}): Recipient {
  const { endpoint, keys } = simulator.web.subscribe({ applicationServerKey: key.publicKey, ...options });
  return {
    deviceId: endpoint,
    pushToken: endpoint,
    pushTokenType: 'subscription',
    subscriptionKeys: joinedKeys(keys),
  };
}

const received = ({ pushToken }: Recipient) => simulator.received({ gateway: 'web_push', token: pushToken });

describe.each([
  ['HTTP/2', false],
  ['HTTP/1.1', true],
])('over %s', (_name, http1Only) => {
  beforeEach(() => simulator.web.set({ http1Only }));

  test('a browser gets the text, encrypted for it, with the time to live, the urgency and the topic', async () => {
    const to = browser();
    const send = gateway().compile(
      message({ payload: { alert: 'Hello', collapse_key: 'greeting' } }),
      always,
    );
    expect(await send(to)).toEqual({ kind: 'accepted' });
    const [push, ...others] = received(to);
    expect(others).toEqual([]);
    expect(push).toMatchObject({
      ttl: 3600,
      urgency: 'high',
      topic: 'greeting',
      bodyFault: null,
      subject: 'mailto:push@example.com',
    });
    expect(JSON.parse(String(Reflect.get(push ?? {}, 'text')))).toMatchObject({
      web_push: 8030,
      notification: { title: 'Hello', navigate: 'https://example.com/', tag: 'greeting' },
    });
  });

  test.each(['plain', 'google', 'mozilla', 'apple', 'windows'] as const)(
    'the service of %s accepts pushes, also with no time to live',
    async (service) => {
      const to = browser({ service });
      const send = gateway().compile(
        message({ timeToLiveSeconds: 0, payload: { alert: 'Hi', collapse_key: 'collie-update' } }),
        always,
      );
      expect(await send(to)).toEqual({ kind: 'accepted' });
      expect(received(to)).toMatchObject([{ ttl: 0, bodyFault: null }]);
    },
  );

  test('a subscription that is gone is dead', async () => {
    const gone = browser();
    simulator.web.unsubscribe(gone.pushToken, 410);
    expect(await gateway().compile(message(), always)(gone)).toMatchObject({ kind: 'unregistered' });
  });

  test('a refusal is not read before the caller lets it', async () => {
    const gone = browser();
    simulator.web.unsubscribe(gone.pushToken, 410);
    const { verdict, isReadBefore } = await sendHeldBack(gateway().compile(message(), always), gone);
    expect([verdict.kind, isReadBefore]).toEqual(['unregistered', false]);
  });

  test('a hundred browsers each get their own text', async () => {
    const browsers = Array.from({ length: 100 }, () => browser());
    const send = gateway().compile(message(), always);
    const verdicts = await Promise.all(browsers.map((to, index) => send(to, { title: `for ${index}` })));
    expect(verdicts).toEqual(browsers.map(() => ({ kind: 'accepted' })));
    expect(
      browsers.map((to) => String(Reflect.get(received(to)[0] ?? {}, 'text')).includes('"title":"for ')),
    ).toEqual(browsers.map(() => true));
  });
});

test('each browser gets one push if the thread that derives their keys ends meanwhile', async () => {
  const encryption = openEncryption({ now: Date.now, threads: 1 });
  const thread = new Promise<Worker>((resolve) => {
    process.once('worker', resolve);
  });
  const send = gatewayTo(new URL(simulator.urls.web).host, { encryption }).compile(message(), always);
  const browsers = Array.from({ length: 100 }, () => browser());
  const verdicts = browsers.map(async (to) => send(to));
  await (await thread).terminate();
  expect(await Promise.all(verdicts)).toEqual(browsers.map(() => ({ kind: 'accepted' })));
  expect(browsers.map((to) => received(to).length)).toEqual(browsers.map(() => 1));
  await encryption.close();
});

test('a browser whose keys another thread cannot use is dead', async () => {
  const encryption = openEncryption({ now: Date.now, threads: 1 });
  const send = gatewayTo(new URL(simulator.urls.web).host, { encryption }).compile(message(), always);
  const dead = { ...browser(), subscriptionKeys: 'abc.def' };
  expect(await Promise.all([dead, browser()].map(async (to) => send(to)))).toEqual([
    { kind: 'unregistered', reason: 'bad_keys', deadSince: null },
    { kind: 'accepted' },
  ]);
  await encryption.close();
});

test.each(['google', 'mozilla', 'apple', 'plain'] as const)(
  'a browser of %s that subscribed with another key is refused, and not dead',
  async (service) => {
    const to = browser({ service, applicationServerKey: makeVapidKey().publicKey });
    expect(await gateway().compile(message(), always)(to)).toMatchObject({ kind: 'rejected' });
  },
);

test.each([
  ['nothing_to_show', message({ payload: { content_available: true } }), {}],
  ['too_large', message({ payload: { alert: 'x'.repeat(4_000) } }), {}],
  ['host_not_allowed', message(), { pushToken: 'https://push.example.com/x' }],
  ['host_not_allowed', message(), { pushToken: 'https://127.0.0.1/x' }],
  ['host_not_allowed', message(), { pushToken: 'no address' }],
] as const)(
  'a push that no browser can get is rejected as %s, and nothing is sent',
  async (reason, push, other) => {
    const to = browser();
    expect(await gateway().compile(push, always)({ ...to, ...other })).toEqual({ kind: 'rejected', reason });
    expect(received(to)).toEqual([]);
  },
);

test.each([null, '', 'abc', 'abc.def'])(
  'a browser with the keys %j is dead: nothing can be encrypted for it',
  async (subscriptionKeys) => {
    const to = { ...browser(), subscriptionKeys };
    const dead = { kind: 'unregistered', reason: 'bad_keys' };
    expect(await gateway().compile(message(), always)(to)).toMatchObject(dead);
  },
);

test('a connection of HTTP/1.1 serves later pushes as well, however long it is open', async () => {
  simulator.web.set({ http1Only: true });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const before = simulator.counts().web_push.connections;
    const send = gateway().compile(message(), always);
    expect(await send(browser())).toEqual({ kind: 'accepted' });
    const opened = simulator.counts().web_push.connections - before;
    vi.advanceTimersByTime(60_000);
    expect(await send(browser())).toEqual({ kind: 'accepted' });
    expect(simulator.counts().web_push.connections - before).toBe(opened);
  } finally {
    vi.useRealTimers();
  }
});

test('a push that nobody wants any more is not sent', async () => {
  const to = browser();
  expect(await gateway().compile(message(), () => false)(to)).toMatchObject({ kind: 'retry', unsent: true });
  expect(received(to)).toEqual([]);
});

test('a service that does not answer is tried later, and holds up no other one', async () => {
  const silent = gatewayTo('localhost:1');
  const to = { ...browser(), pushToken: 'https://localhost:1/push' };
  const send = silent.compile(message(), always);
  expect(await Promise.all([send(to), send(to)])).toMatchObject([
    { kind: 'retry', reason: 'connection_failed', unsent: true },
    { kind: 'retry', reason: 'connection_failed', unsent: true },
  ]);
  expect(silent.whenReady()).toBeUndefined();
});

test.each([301, 302, 307, 308])('a redirect with %i is not followed', async (status) => {
  const elsewhere = await openService((_request, response) => response.writeHead(201).end());
  const location = elsewhere.endpoint;
  const service = await openService((_request, response) => response.writeHead(status, { location }).end());
  const to = { ...browser(), pushToken: service.endpoint };
  const send = gatewayTo(service.host, { ca: service.ca }).compile(message(), always);
  expect(await send(to)).toEqual({ kind: 'rejected', reason: `HTTP ${status}` });
  expect(elsewhere.connections()).toBe(0);
  for (const { close } of [elsewhere, service]) close();
});

/** A push service of our own; each test says what it does. */
async function openService(handle: RequestListener) {
  const certificate = await makeCertificate();
  const service = createServer(certificate, handle);
  let connections = 0;
  service.on('connection', () => (connections += 1));
  service.listen(0, 'localhost');
  await once(service, 'listening');
  const host = `localhost:${portOf(service)}`;
  return {
    host,
    endpoint: `https://${host}/push`,
    ca: `${simulator.caPem}\n${certificate.cert}`,
    connections: () => connections,
    close: () => {
      service.closeAllConnections();
      service.close();
    },
  };
}

test('a service that is slow is asked for no more than its bound, and another one takes pushes meanwhile', async () => {
  const waiting: ServerResponse[] = [];
  let isSlow = true;
  const slow = await openService((request, response) => {
    request.resume();
    if (isSlow) waiting.push(response);
    else response.writeHead(201).end();
  });
  const hosts = { names: [slow.host, new URL(simulator.urls.web).host], any: false };
  const both = gatewayTo('', { hosts, ca: slow.ca, pendingMax: 10 });
  const send = both.compile(message(), always);
  const to = { ...browser(), pushToken: slow.endpoint };
  const sent = Array.from({ length: 10 }, () => send(to));
  await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0), 20_000);
  expect(await send(to)).toMatchObject({ kind: 'retry', reason: 'service_too_slow', unsent: true });
  expect(await send(browser())).toEqual({ kind: 'accepted' });
  isSlow = false;
  for (const response of waiting) response.writeHead(201).end();
  expect(new Set((await Promise.all(sent)).map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  slow.close();
});

test.each([
  ['any host', { names: [], any: true }],
  ['all names below one', { names: ['.example.com'], any: false }],
])('a name with a private address is not called where %s is allowed', async (_what, hosts) => {
  const inside = await openService((_request, response) => response.writeHead(201).end());
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
      { address: '::ffff:127.0.0.1', family: 6 },
    ];
  };
  const port = new URL(inside.endpoint).port;
  const allowed = { ...hosts, names: hosts.names.map((name) => `${name}:${port}`) };
  const to = { ...browser(), pushToken: `https://push.example.com:${port}/push` };
  const send = gatewayTo('', { hosts: allowed, ca: inside.ca, resolve }).compile(message(), always);
  expect(await send(to)).toMatchObject({ kind: 'retry', reason: 'connection_failed', unsent: true });
  expect([asked, inside.connections()]).toEqual([['push.example.com'], 0]);
  inside.close();
});
