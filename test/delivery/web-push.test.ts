/** Browsers next to phones: registered, reached, retired and found again, over the API and the simulator's push service. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeVapidKey } from '../../src/gateways/web-push/vapid-key.ts';
import { callServer } from '../http/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { textAt, useApiApp } from './api-app.ts';

const app = useApiApp();
const { call, push, tryCall, tryRegister: register } = app;
const SUBJECT = { subject: 'mailto:push@example.com' };
let applicationServerKey: string;

beforeAll(async () => {
  const stored = await call('PUT /v6/credentials/web_push', { credentials: SUBJECT });
  applicationServerKey = textAt(stored, 'public_key');
});

const subscribe = () => app.simulator.web.subscribe({ applicationServerKey });
const keys = () => subscribe().keys;

async function registerBrowser(attributes: object = {}): Promise<{ id: string; endpoint: string }> {
  const subscription = subscribe();
  const { id, status, body } = await register({ platform: 'Web', subscription, ...attributes });
  expect(status, JSON.stringify(body)).toBe(201);
  return { id, endpoint: subscription.endpoint };
}

const receivedAt = (endpoint: string) => app.simulator.received({ gateway: 'web_push', token: endpoint });

describe('browsers', () => {
  test('a notification reaches the phones and browsers of a user, each through its gateway', async () => {
    const user_id = randomUUID();
    await app.register({ user_id });
    await app.register({ user_id }, 'Android');
    const { endpoint } = await registerBrowser({ user_id });
    expect(await push({ user_id })).toMatchObject({ state: 'sent', devices: 3, accepted: 3 });
    expect(receivedAt(endpoint)).toMatchObject([{ bodyFault: null, urgency: 'high' }]);
  });

  test('filters on attributes find browsers, and everyone includes them', async () => {
    const tag = randomUUID();
    const { endpoint } = await registerBrowser({
      tags: [tag],
      os_name: 'macOS',
      marketing_name: 'Firefox 145',
      locale: 'fr_FR',
    });
    const filters = [
      { name: 'os_name', criteria: ['macOS'] },
      { name: 'tags', criteria: [tag] },
    ];
    const localized = { localized: { fr: { alert: 'Bonjour' } } };
    expect(await push(filters, localized)).toMatchObject({ devices: 1, accepted: 1 });
    expect(textAt(receivedAt(endpoint)[0], 'text')).toContain('Bonjour');
    expect(await push('*')).toMatchObject({ state: 'sent', rejected: 0 });
    expect(receivedAt(endpoint)).toHaveLength(2);
  });

  test('a subscription that is gone is retired, and the device comes back with its next one', async () => {
    const { id, endpoint } = await registerBrowser();
    app.simulator.web.unsubscribe(endpoint, 410);
    expect(await push({ device_id: id })).toMatchObject({ unregistered: 1 });
    expect(await call(`GET /v6/devices/${id}`)).toMatchObject({
      device: { platform: 'Web', push_token: null },
    });
    const next = await register({ platform: 'Web', subscription: subscribe(), previous_endpoint: endpoint });
    expect(next).toMatchObject({ id, status: 200 });
    expect(await push({ device_id: id })).toMatchObject({ accepted: 1 });
  });

  test.each([
    ['its id', ({ id }: { id: string }) => ({ id })],
    ['the endpoint of before', ({ endpoint }: { endpoint: string }) => ({ previous_endpoint: endpoint })],
  ])('a browser that replaces its subscription stays the same device by %s', async (_name, hint) => {
    const before = await registerBrowser();
    const subscription = subscribe();
    expect(await register({ platform: 'Web', subscription, ...hint(before) })).toMatchObject({
      id: before.id,
      status: 200,
    });
    expect(await push({ device_id: before.id })).toMatchObject({ accepted: 1 });
    expect(receivedAt(before.endpoint)).toEqual([]);
    expect(receivedAt(subscription.endpoint)).toHaveLength(1);
  });

  test('a browser that was read can be sent back, and gets a new subscription only as a whole', async () => {
    const { id, endpoint } = await registerBrowser();
    const address = `PUT /v6/devices/${id}`;
    await call(address, Object(await call(`GET /v6/devices/${id}`)));
    const refused = await tryCall(address, { device: { push_token: `${endpoint}x` } });
    expect(refused).toMatchObject({ status: 422, body: { details: [{ path: 'device.push_token' }] } });
    const subscription = subscribe();
    await call(address, { device: { subscription } });
    expect(await push({ device_id: id })).toMatchObject({ accepted: 1 });
    expect(receivedAt(subscription.endpoint)).toHaveLength(1);
    await call(address, { device: { push_token: null } });
    expect(await push({ device_id: id })).toMatchObject({ no_token: 1 });
  });

  test('a push without a text is not sent to a browser, which would have to show it', async () => {
    const { id, endpoint } = await registerBrowser();
    expect(await push({ device_id: id }, { payload: { content_available: true } })).toMatchObject({
      rejected: 1,
    });
    expect(receivedAt(endpoint)).toEqual([]);
  });

  test('an import stores browsers with their keys, also those that are known', async () => {
    const [known, added] = [await registerBrowser(), subscribe()];
    const lines = [
      { platform: 'Web', subscription: added, tags: ['imported'] },
      { platform: 'Web', subscription: { endpoint: known.endpoint, keys: subscribe().keys } },
      { platform: 'Web', subscription: { endpoint: 'http://x', keys: added.keys } },
    ];
    const imported = await callServer(app.server, 'POST /v6/devices/import', {
      key: app.app.key,
      raw: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.body).toMatchObject({ imported: 1, updated: 1, rejected_count: 1 });
    expect(await push([{ name: 'tags', criteria: ['imported'] }])).toMatchObject({ accepted: 1 });
    expect(receivedAt(added.endpoint)).toMatchObject([{ bodyFault: null }]);
  });
});

describe('a registration of a browser', () => {
  test.each([
    ['without a subscription', () => ({}), 'device.subscription'],
    [
      'with a token in its place',
      () => ({ push_token: 'https://fcm.googleapis.com/x' }),
      'device.subscription',
    ],
    [
      'with a private address',
      () => ({ subscription: { endpoint: 'https://127.0.0.1/x', keys: keys() } }),
      'device.subscription.endpoint',
    ],
    [
      'with a host that is no push service',
      () => ({ subscription: { endpoint: 'https://push.example.com/x', keys: keys() } }),
      'device.subscription.endpoint',
    ],
    [
      'with a browser that cannot be reached',
      () => ({ subscription: { endpoint: 'https://permanently-removed.invalid/x', keys: keys() } }),
      'device.subscription.endpoint',
    ],
    [
      'with a key that is not on the curve',
      () => ({
        subscription: {
          ...subscribe(),
          keys: { ...keys(), p256dh: Buffer.alloc(65, 4).toString('base64url') },
        },
      }),
      'device.subscription.keys.p256dh',
    ],
    [
      'with a short secret',
      () => ({ subscription: { ...subscribe(), keys: { ...keys(), auth: 'abc' } } }),
      'device.subscription.keys.auth',
    ],
  ])('a registration %s is refused by the name of its fault', async (_name, device, path) => {
    const { status, body } = await register({ platform: 'Web', ...device() });
    const details = Reflect.get(Object(body), 'details');
    expect({ status, paths: details }).toMatchObject({
      status: 422,
      paths: expect.arrayContaining([expect.objectContaining({ path })]),
    });
  });

  test('an endpoint in place of a token of Android is refused with the way to register a browser', async () => {
    const { body } = await register({
      platform: 'Android',
      push_token: 'https://fcm.googleapis.com/fcm/send/x',
    });
    expect(JSON.stringify(body)).toContain('register a browser with the platform Web');
  });
});

describe('the VAPID key', () => {
  const KEY = 'PUT /v6/credentials/web_push';

  test('the key stays the same for pages whatever is stored again, and is replaced only on demand', async () => {
    const again = await call(KEY, { credentials: { subject: 'mailto:other@example.com' } });
    expect(again).toMatchObject({ public_key: applicationServerKey });
    const { privateKey: private_key, publicKey } = makeVapidKey();
    const credentials = { ...SUBJECT, private_key };
    const refused = await tryCall(KEY, { credentials });
    expect(refused).toMatchObject({ status: 422, body: { details: [{ path: 'credentials.private_key' }] } });
    expect(JSON.stringify(refused.body)).not.toContain(private_key);
    expect(await call('GET /v6/web_push_key')).toMatchObject({ public_key: applicationServerKey });
    const other = await app.makeApp();
    expect((await tryCall('GET /v6/web_push_key', undefined, other)).body).toEqual({ public_key: null });
    const imported = await tryCall(KEY, { credentials }, other);
    expect(imported).toMatchObject({ status: 200, body: { public_key: publicKey } });
  });

  test('calls that make a key at the same time make one', async () => {
    const other = await app.makeApp();
    const replies = await Promise.all(
      Array.from({ length: 5 }, async () => tryCall(KEY, { credentials: SUBJECT }, other)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(replies.map(({ body }) => JSON.stringify(body)))).toHaveLength(1);
  });

  test('an app without one rejects pushes to browsers by that name', async () => {
    const other = await app.makeApp();
    const device = { platform: 'Web', subscription: subscribe() };
    await tryCall('POST /v6/devices', { device }, other);
    const notification = { to: '*', payload: { alert: 'Hello' } };
    const created = await tryCall('POST /v6/notifications', { notification }, other);
    const id = textAt(created.body, 'id');
    await vi.waitFor(async () => {
      const { body } = await tryCall(`GET /v6/notifications/${id}`, undefined, other);
      expect(body).toMatchObject({ state: 'failed', reason: 'no web_push credentials' });
    }, PATIENCE);
  });
});
