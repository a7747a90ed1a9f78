/** iPhones that are reached through Firebase: registered by the type of their push token, and sent to with Apple's block. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { callServer, type Reply } from '../http/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { ORDER, type Phone, textAt, useApiApp } from './api-app.ts';
import { newToken } from '../support/push-token.ts';

const app = useApiApp();
const { call, push, tryRegister: register } = app;

const installationId = () => `c${randomBytes(16).toString('base64url').slice(0, 21)}`;
const firebaseToken = () => `${installationId()}:APA91b${randomBytes(96).toString('base64url')}`;

async function importOf(device: object): Promise<Reply> {
  const headers = { 'content-type': 'application/x-ndjson' };
  return callServer(app.server, 'POST /v6/devices/import', {
    key: app.app.key,
    headers,
    raw: JSON.stringify(device),
  });
}

async function registerIphone(attributes: object = {}): Promise<Phone> {
  const token = firebaseToken();
  const device = { platform: 'iOS', push_token: token, push_token_type: 'fcm', ...attributes };
  const { id, status, body } = await register(device);
  expect(status, JSON.stringify(body)).toBe(201);
  return { id, token };
}

/** The messages that Google got for a token. */
function messagesTo(token: string): readonly Readonly<Record<string, unknown>>[] {
  return app.simulator
    .received({ gateway: 'fcm', token })
    .flatMap((each) => (each.gateway === 'fcm' ? [each.message] : []));
}

describe('an iPhone through Firebase', () => {
  test('an iPhone with a Firebase token gets Apple’s block through FCM, and nothing of Android', async () => {
    const { id, token } = await registerIphone();
    const sent = await push(
      { device_id: id },
      {
        payload: {
          title: 'Order 4711',
          alert: 'It is on its way.',
          sound: 'ding',
          badge: 3,
          category: 'order',
          interruption_level: 'time-sensitive',
          relevance_score: 0.5,
          collapse_key: 'order-4711',
          image: 'https://example.com/a.png',
          order: 4711,
        },
        apns: { thread_id: 'orders' },
        time_to_live: 60,
      },
    );
    expect(sent).toMatchObject({ state: 'sent', accepted: 1 });
    expect(messagesTo(token)).toEqual([
      {
        token,
        apns: {
          headers: {
            'apns-push-type': 'alert',
            'apns-priority': '10',
            'apns-expiration': expect.stringMatching(/^\d{10}$/),
            'apns-collapse-id': 'order-4711',
          },
          payload: {
            aps: {
              alert: { title: 'Order 4711', body: 'It is on its way.' },
              sound: 'ding',
              badge: 3,
              category: 'order',
              'interruption-level': 'time-sensitive',
              'relevance-score': 0.5,
              'thread-id': 'orders',
              'mutable-content': 1,
            },
            image: 'https://example.com/a.png',
            order: 4711,
            _nid: sent['id'],
          },
          fcm_options: { image: 'https://example.com/a.png' },
        },
      },
    ]);
    expect(app.simulator.received({ gateway: 'apns', nid: String(sent['id']) })).toEqual([]);
  });

  test('an iPhone with an installation id is sent to by the field fid of FCM', async () => {
    const fid = installationId();
    app.simulator.google.registerInstallation(fid);
    const { id } = await register({ platform: 'iOS', push_token: fid, push_token_type: 'fcm' });
    expect(await push({ device_id: id })).toMatchObject({ accepted: 1 });
    expect(messagesTo(fid)).toMatchObject([{ fid, apns: { headers: { 'apns-push-type': 'alert' } } }]);
  });

  test('a push that only wakes an iPhone through Firebase is of the type background, with priority 5', async () => {
    const { id, token } = await registerIphone();
    await push({ device_id: id }, { payload: { content_available: true, sync: 'now' }, priority: 'high' });
    expect(messagesTo(token)).toMatchObject([
      {
        apns: {
          headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
          payload: { aps: { 'content-available': 1 }, sync: 'now' },
        },
      },
    ]);
  });

  test('one notification reaches an iPhone through Apple, one through Firebase and an Android phone', async () => {
    const user_id = randomUUID();
    const apple = newToken();
    const android = firebaseToken();
    await register({ platform: 'iOS', push_token: apple, user_id });
    await register({ platform: 'Android', push_token: android, user_id });
    const { token } = await registerIphone({ user_id, development: true });
    expect(await push({ user_id })).toMatchObject({ state: 'sent', devices: 3, accepted: 3 });
    expect(app.simulator.received({ gateway: 'apns', token: apple })).toHaveLength(1);
    expect(messagesTo(android)).toMatchObject([{ android: {}, data: {} }]);
    expect(messagesTo(token)).toMatchObject([{ apns: {} }]);
  });

  test('the outcomes of iPhones through Firebase are found apart from those through Apple', async () => {
    const user_id = randomUUID();
    const { id } = await registerIphone({ user_id });
    const byApple = await register({ platform: 'iOS', push_token: newToken(), user_id });
    const sent = String((await push({ user_id }))['id']);
    for (const [gateway, device_id] of [
      ['fcm', id],
      ['apns', byApple.id],
    ]) {
      const found = await call(`GET /v6/notifications/${sent}/deliveries?platform=iOS&gateway=${gateway}`);
      expect(found).toMatchObject({ deliveries: [{ device_id, gateway, outcome: 'accepted' }] });
    }
  });

  test('the kept badge of an iPhone through Firebase moves, and its translation and template are its own', async () => {
    const { id, token } = await registerIphone({ badge: 4, locale: 'fr_FR', marketing_name: 'iPhone 17' });
    const rest = {
      payload: { alert: 'Hello {{ device.marketing_name }}' },
      localized: { fr: { alert: 'Bonjour {{ device.marketing_name }}' } },
      template: { on_missing: 'skip' },
      apns: { badge: '+1' },
    };
    expect(await push({ device_id: id }, rest)).toMatchObject({ accepted: 1 });
    expect(messagesTo(token)).toMatchObject([
      { apns: { payload: { aps: { alert: 'Bonjour iPhone 17', badge: 5 } } } },
    ]);
    await vi.waitFor(async () => {
      expect(await call(`GET /v6/devices/${id}`)).toMatchObject({ device: { badge: 5 } });
    });
  });

  test('a key of Apple that Firebase lacks rejects the push to the iPhone, keeps its token and the pushes to Android', async () => {
    const user_id = randomUUID();
    const { id, token } = await registerIphone({ user_id });
    await register({ platform: 'Android', push_token: firebaseToken(), user_id });
    const grants = app.simulator.counts().oauth.accepted;
    app.simulator.orderFault({
      kind: 'answer',
      gateway: 'fcm',
      token,
      status: 401,
      reason: 'THIRD_PARTY_AUTH_ERROR',
      times: 1,
    });
    const sent = await push({ user_id });
    expect(sent).toMatchObject({ state: 'sent', accepted: 1, rejected: 1 });
    expect(JSON.stringify(await call(`GET /v6/notifications/${String(sent['id'])}/report`))).toContain(
      'no APNs key',
    );
    expect(await call(`GET /v6/devices/${id}`)).toMatchObject({ device: { push_token: token } });
    expect(app.simulator.counts().oauth.accepted).toBe(grants);
    expect(await push({ user_id })).toMatchObject({ accepted: 2 });
  });

  test('a token that FCM calls unregistered is retired, and the iPhone comes back with its next one', async () => {
    const { id, token } = await registerIphone();
    await push({ device_id: (await registerIphone()).id }); // shows that the route works
    app.simulator.orderFault({
      kind: 'answer',
      gateway: 'fcm',
      token,
      status: 404,
      reason: 'UNREGISTERED',
    });
    expect(await push({ device_id: id })).toMatchObject({ unregistered: 1 });
    expect(await call(`GET /v6/devices/${id}`)).toMatchObject({ device: { push_token: null } });
    const next = firebaseToken();
    const again = { platform: 'iOS', push_token: next, push_token_type: 'fcm', previous_push_token: token };
    expect(await register(again)).toMatchObject({ id, status: 200 });
    expect(await push({ device_id: id })).toMatchObject({ accepted: 1 });
  });

  test('an app without credentials of Apple reaches its iPhones through Firebase', async () => {
    const own = await app.makeApp();
    const use = async (address: string, body?: object): Promise<Reply> => app.tryCall(address, body, own);
    const { body: held } = await use('GET /v6/credentials');
    for (const { id } of Reflect.get(Object(held), 'credentials'))
      await use(`DELETE /v6/credentials/apns/${id}`);
    const token = firebaseToken();
    await use('POST /v6/devices', {
      device: { platform: 'iOS', push_token: token, push_token_type: 'fcm', development: true },
    });
    expect(await use('GET /v6/app')).toMatchObject({ body: { app: {} } });
    const created = await use('POST /v6/notifications', { notification: { to: '*', payload: ORDER } });
    expect(created.status).toBe(201);
    await vi.waitFor(() => expect(messagesTo(token)).toHaveLength(1), PATIENCE);
  });

  test('a push whose picture makes it larger than Apple takes is rejected by name', async () => {
    const { id, token } = await registerIphone();
    const payload = { alert: 'Hi', image: `https://example.com/${'a'.repeat(2_100)}.png` };
    const sent = await push({ device_id: id }, { payload });
    expect(sent).toMatchObject({ rejected: 1 });
    expect(messagesTo(token)).toEqual([]);
    expect(JSON.stringify(await call(`GET /v6/notifications/${String(sent['id'])}/report`))).toContain(
      'too_large',
    );
  });

  test('a preview has the request to an iPhone through Firebase', async () => {
    const notification = { to: '*', payload: { alert: 'Hi', badge: 1 } };
    const preview = await call('POST /v6/notifications/preview', { notification });
    expect(JSON.parse(textAt(preview, 'compiled', 'fcm', 'body_ios'))).toEqual({
      message: {
        token: '<push token>',
        apns: {
          headers: expect.objectContaining({ 'apns-push-type': 'alert' }),
          payload: { aps: { alert: 'Hi', badge: 1 }, _nid: expect.any(String) },
        },
      },
    });
  });
});

describe('the type of the push token of an iPhone', () => {
  const REMEDY = 'push_token_type "fcm"';

  test.each<[what: string, token: () => string, type: string | undefined, says: string]>([
    [
      'a token of Firebase without its type',
      firebaseToken,
      undefined,
      `is a token of Firebase; for an iPhone that is reached through Firebase send ${REMEDY}`,
    ],
    [
      'a token of Firebase as one of Apple',
      firebaseToken,
      'token',
      `is a token of Firebase; for an iPhone that is reached through Firebase send ${REMEDY}`,
    ],
    [
      'an installation id without its type',
      installationId,
      undefined,
      `is an installation id of Firebase; for an iPhone that is reached through Firebase send ${REMEDY}`,
    ],
    [
      'a token of Firebase as fid',
      firebaseToken,
      'fid',
      'fcm for a registration token or an installation id of Firebase',
    ],
    ['a token of Apple as fcm', newToken, 'fcm', 'is a token of Apple'],
    [
      'half a token of Apple as fcm',
      () => newToken().slice(0, 40),
      'fcm',
      'must be a registration token or an installation id',
    ],
    [
      'a subscription of a browser as fcm',
      () => 'https://fcm.googleapis.com/fcm/send/abc',
      'fcm',
      'is a subscription or an address',
    ],
    ['a placeholder as fcm', () => 'null', 'fcm', 'is a placeholder'],
  ])(
    '%s is refused with its remedy in a registration, an update and an import',
    async (_what, token, type, says) => {
      const sent = { push_token: token(), ...(type !== undefined && { push_token_type: type }) };
      const device = { platform: 'iOS', ...sent };
      const registered = await register(device);
      expect(registered.status).toBe(422);
      expect(JSON.stringify(registered.body).replaceAll('\\"', '"')).toContain(says);
      const known = await registerIphone();
      const updated = await app.tryCall(`PUT /v6/devices/${known.id}`, { device: sent });
      expect(updated.status).toBe(422);
      expect(JSON.stringify(updated.body).replaceAll('\\"', '"')).toContain(says);
      expect(await call(`GET /v6/devices/${known.id}`)).toMatchObject({
        device: { push_token: known.token, push_token_type: 'fcm' },
      });
      const imported = await importOf(device);
      expect(imported.body).toMatchObject({ imported: 0, rejected_count: 1 });
      expect(JSON.stringify(imported.body).replaceAll('\\"', '"')).toContain(says);
    },
  );

  test('an import stores an iPhone through Firebase with the capitals of its token', async () => {
    const push_token = firebaseToken();
    const device = { platform: 'iOS', push_token, push_token_type: 'fcm', user_id: randomUUID() };
    const { body } = await importOf(device);
    expect(body).toMatchObject({ imported: 1, rejected_count: 0 });
    expect(await push({ user_id: device.user_id })).toMatchObject({ accepted: 1 });
    expect(messagesTo(push_token)).toHaveLength(1);
  });

  test('an iPhone moves from Apple to Firebase and back, and a device that was read can be sent back', async () => {
    const apple = newToken();
    const firebase = firebaseToken();
    const { id } = await register({ platform: 'iOS', push_token: apple });
    const moved = await register({
      platform: 'iOS',
      push_token: firebase,
      push_token_type: 'fcm',
      previous_push_token: apple,
    });
    expect(moved).toMatchObject({ id, body: { device: { push_token: firebase, push_token_type: 'fcm' } } });
    const put = async (body: object) => call(`PUT /v6/devices/${id}`, body);
    const read = await call(`GET /v6/devices/${id}`);
    const ofFirebase = { push_token: firebase, push_token_type: 'fcm' };
    expect(await put(Object(read))).toMatchObject({ device: ofFirebase });
    expect(await put({ device: { push_token: firebase } })).toMatchObject({ device: ofFirebase });
    expect(await put({ device: { push_token: apple.toUpperCase() } })).toMatchObject({
      device: { push_token: apple, push_token_type: 'token' },
    });
  });

  test('the type fcm is refused for Android', async () => {
    const { status, body } = await register({
      platform: 'Android',
      push_token: firebaseToken(),
      push_token_type: 'fcm',
    });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('must be token or fid')]);
  });
});
