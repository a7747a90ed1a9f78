/** Subscriptions, the switches, faults and what waits. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { deriveSubscription, type WebService, type WebSubscription } from '../../src/web/subscriptions.ts';
import { type Answer, requestHttp1 } from '../client.ts';
import { type Control, PATIENCE, useSimulator } from '../harness.ts';
import { type Change, createSender, encrypt, pushWeb } from './sender.ts';

const harness = useSimulator();
const subscriptionSchema = z.strictObject({
  endpoint: z.url(),
  expirationTime: z.null(),
  keys: z.strictObject({ p256dh: z.string(), auth: z.string() }),
});
const sender = createSender();
const push = async (to: WebSubscription, change?: Change): Promise<Answer> =>
  pushWeb(harness, await harness.client(harness.simulator.urls.web), sender, to, change);

const control: Control = async (method, path, body) => harness.control(method, path, body);

/** The protocol that the listener agrees on with a client that offers these. */
async function agreedProtocol(protocols: string[]): Promise<string | false | null> {
  const { hostname: host, port } = new URL(harness.simulator.urls.web);
  const socket = connectTls({
    host,
    port: Number(port),
    ca: harness.simulator.caPem,
    ALPNProtocols: protocols,
  });
  await once(socket, 'secureConnect');
  const { alpnProtocol } = socket;
  socket.destroy();
  return alpnProtocol;
}

describe('a derived subscription', () => {
  test.each<WebService>(['plain', 'google', 'mozilla', 'mozilla-android', 'apple', 'windows'])(
    'a derived subscription of %s receives without having been made',
    async (service) => {
      const browser = deriveSubscription(harness.simulator.urls.web, 17, service);
      expect(await push(browser, { text: 'derived' })).toMatchObject({ status: 201 });
      expect(harness.simulator.received({ token: browser.endpoint })).toMatchObject([
        { service, text: 'derived' },
      ]);
      harness.simulator.web.unsubscribe(browser.endpoint);
      expect(await push(browser)).toMatchObject({ status: 410 });
    },
  );

  test('a derived subscription has other keys than the next one, and the same ones in another process', async () => {
    const derived = [1, 2, 3].map((id) => deriveSubscription('https://push.test', id, 'google'));
    expect(new Set(derived.map(({ keys }) => keys.p256dh)).size).toBe(3);
    const face = new URL('../../src/index.ts', import.meta.url).href;
    const script = `import { deriveSubscription } from '${face}';
      console.log(JSON.stringify([1, 2, 3].map((id) => deriveSubscription('https://push.test', id, 'google'))));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual(derived);
  });

  test('a derived subscription at localhost is one of another origin, for which a token must be', async () => {
    const { urls, caPem } = harness.simulator;
    const origin = urls.web.replace('127.0.0.1', 'localhost');
    const { endpoint } = deriveSubscription(origin, 1);
    const statuses = [origin, urls.web].map(async (audience) => {
      const headers = { authorization: sender.authorization(audience, harness.now), ttl: '0' };
      return (await requestHttp1(endpoint, caPem, { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([201, 403]);
    expect(harness.simulator.received({ token: endpoint })).toHaveLength(1);
  });

  test('an id that is not of base64url derives nothing', () => {
    expect(() => deriveSubscription('https://push.test', 'a/b')).toThrow(RangeError);
  });
});

describe('the control server', () => {
  test('the control server makes a subscription that is bound to a key, and gives it up', async () => {
    const made = await control('POST', '/subscriptions', {
      applicationServerKey: sender.publicKey,
      service: 'apple',
    });
    expect(made.status).toBe(201);
    const browser = subscriptionSchema.parse(made.body);
    expect(Buffer.from(browser.keys.p256dh, 'base64url')).toHaveLength(65);
    expect(Buffer.from(browser.keys.auth, 'base64url')).toHaveLength(16);
    expect(await push(browser)).toMatchObject({ status: 201 });
    const gone = { endpoint: browser.endpoint, status: 404 };
    expect(await control('DELETE', '/subscriptions', gone)).toMatchObject({ status: 200 });
    expect(await push(browser)).toMatchObject({ status: 404 });
  });

  test.each([
    [
      'a key that is not on the curve',
      400,
      { applicationServerKey: Buffer.alloc(65, 4).toString('base64url') },
    ],
    ['a key of another length', 400, { applicationServerKey: 'AAAA' }],
    ['an unknown service', 422, { service: 'opera' }],
  ])('the control server makes no subscription for %s', async (_name, status, body) => {
    expect(await control('POST', '/subscriptions', body)).toMatchObject({ status });
  });

  test('the control server switches HTTP/2 off and on', async () => {
    const offered = ['h2', 'http/1.1'];
    expect(await agreedProtocol(offered)).toBe('h2');
    expect(await control('POST', '/web', { http1Only: true })).toMatchObject({ status: 200 });
    expect(await agreedProtocol(offered)).toBe('http/1.1');
    await expect(agreedProtocol(['h2'])).rejects.toThrow('no application protocol');
    expect(await control('POST', '/web', { http1Only: false })).toMatchObject({ status: 200 });
    expect(await agreedProtocol(offered)).toBe('h2');
    expect(await control('POST', '/web', { http2: true })).toMatchObject({ status: 422 });
  });

  test('the control server switches decryption off: a body is then looked at from outside alone', async () => {
    const [browser, other] = [harness.simulator.web.subscribe(), harness.simulator.web.subscribe()];
    expect(await control('POST', '/web', { decrypt: false })).toMatchObject({ status: 200 });
    const bodies = [encrypt('a', browser), encrypt('a', other), encrypt('a', browser, { recordSize: 17 })];
    for (const body of bodies) expect(await push(browser, { body })).toMatchObject({ status: 201 });
    harness.simulator.web.set({ decrypt: true });
    const faults = harness.simulator.received().map((one) => one.gateway === 'web_push' && one.bodyFault);
    expect(faults).toEqual([null, null, 'the record size 17 is below 18']);
    expect(harness.simulator.received()).toMatchObject([{ text: null }, { text: null }, { text: null }]);
  });

  test('the control server lists what waits for a browser: the newest of a topic, until its time to live ends', async () => {
    const browser = harness.simulator.web.subscribe();
    const sent: [string, Record<string, string>][] = [
      ['score 1', { topic: 'score' }],
      ['news', { ttl: '30' }],
      ['now or never', { ttl: '0' }],
      ['score 2', { topic: 'score' }],
    ];
    for (const [text, headers] of sent) await push(browser, { text, headers });
    const waiting = async (): Promise<unknown> =>
      (await control('GET', `/waiting?endpoint=${encodeURIComponent(browser.endpoint)}`)).body;
    expect(await waiting()).toMatchObject({ waiting: [{ text: 'news' }, { text: 'score 2' }] });
    harness.advance(30_000);
    expect(await waiting()).toMatchObject({ waiting: [{ text: 'score 2' }] });
  });
});

describe('a fault', () => {
  test('a fault meets one endpoint, one service or all browsers, and neither Apple nor Google', async () => {
    const { simulator } = harness;
    const [one, two, moz] = [
      simulator.web.subscribe(),
      simulator.web.subscribe(),
      simulator.web.subscribe({ service: 'mozilla' }),
    ];
    const statuses = async (): Promise<unknown[]> =>
      Promise.all([one, two, moz].map(async (browser) => (await push(browser)).status));
    simulator.orderFault({ kind: 'answer', status: 500, token: one.endpoint });
    expect(await statuses()).toEqual([500, 201, 201]);
    simulator.clearFaults();
    simulator.orderFault({ kind: 'answer', status: 503, service: 'mozilla' });
    expect(await statuses()).toEqual([201, 201, 503]);
    simulator.orderFault({ kind: 'answer', status: 429, gateway: 'web_push' });
    expect(await statuses()).toEqual([429, 429, 503]);
    const apple = await harness.client(simulator.urls.apnsProduction);
    expect(await harness.pushApple(apple)).toMatchObject({ status: 200 });
  });

  test('a GOAWAY over HTTP/2 ends the session after its answer, and over HTTP/1.1 the connection', async () => {
    const { simulator } = harness;
    const browser = simulator.web.subscribe();
    simulator.orderFault({ kind: 'goaway', gateway: 'web_push' });
    const client = await harness.client(simulator.urls.web);
    const goAway = once(client.session, 'goaway');
    expect(await pushWeb(harness, client, sender, browser)).toMatchObject({ status: 201 });
    await goAway;
    const headers = { authorization: sender.authorization(simulator.urls.web, harness.now), ttl: '0' };
    const answer = await requestHttp1(browser.endpoint, simulator.caPem, { headers });
    expect(answer).toMatchObject({ status: 201, headers: { connection: 'close' } });
  });

  test('a drop over HTTP/1.1 comes after the push was taken where ordered so', async () => {
    const { simulator } = harness;
    const browser = simulator.web.subscribe();
    simulator.orderFault({ kind: 'drop', received: true, token: browser.endpoint });
    const headers = { authorization: sender.authorization(simulator.urls.web, harness.now), ttl: '0' };
    const dropped = requestHttp1(browser.endpoint, simulator.caPem, { headers });
    await expect(dropped).rejects.toThrow(/ECONNRESET|hang up/);
    await vi.waitFor(() => expect(simulator.counts().web_push.accepted).toBe(1), PATIENCE);
  });
});
