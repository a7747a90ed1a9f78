/** The rights of a key that is embedded in an app, where anybody can extract it. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';
import { documentedCalls, scopesOf } from './openapi/document.ts';
import { newToken } from '../support/push-token.ts';

const api = useApi();
const withDevice = z.object({ device: z.looseObject({ id: z.string() }) });

const person = {
  user_id: 'zoe-17',
  user_email: 'zoe@example.com',
  // No second of a time begins like these latitudes.
  location: { latitude: 73.5, longitude: -0.1 },
  sdk_location: { latitude: 73.6, longitude: -0.2 },
};

/** With the embedded key by default. */
async function call(address: string, body: object, key = api.app.keys.register) {
  const reply = await api.call(address, { key, body });
  return { ...reply, text: JSON.stringify(reply.body) };
}

async function newDevice(fields: object = {}): Promise<{ id: string; token: string }> {
  const token = newToken();
  return { id: await api.newDevice({ platform: 'iOS', push_token: token, ...fields }), token };
}

async function read(id: string): Promise<Record<string, unknown>> {
  return withDevice.parse((await api.call(`GET /v6/devices/${id}`)).body).device;
}

test('an embedded key opens nine calls and no others', () => {
  const open = documentedCalls.filter((one) => scopesOf(one).includes('register')).map(({ id }) => id);
  expect(open.sort()).toEqual([
    'readWebPushKey',
    'registerDevice',
    'registerDeviceToken',
    'removeDeviceToken',
    'reportDeviceEvents',
    'reportOpen',
    'reportReceipts',
    'reportUserEvents',
    'updateDevice',
  ]);
});

test('an embedded key registers a device, updates it and reports its events by its id', async () => {
  const push_token = newToken();
  const registered = await call('POST /v6/devices', { device: { platform: 'iOS', push_token, ...person } });
  expect(registered).toMatchObject({ status: 201, body: { device: { push_token, ...person } } });
  const { id } = withDevice.parse(registered.body).device;
  expect((await call(`PUT /v6/devices/${id}`, { device: { badge: 4 } })).status).toBe(200);
  expect((await call(`POST /v6/devices/${id}/events`, { events: [{ name: 'bought' }] })).status).toBe(202);
  expect(await read(id)).toMatchObject({ badge: 4, ...person, events: { bought: { count: 1 } } });
});

describe('events of an embedded key', () => {
  const user = { user_id: 'zoe-18' };

  test.each<[what: string, path: string, event: object]>([
    ['of the public API', 'events[1].source', { name: 'bought', source: 'Public Api' }],
    ['of an analytics product', 'events[1].source', { name: 'viewed', source: 'Mixpanel' }],
    ['of the public API by its name', 'events[1].name', { name: 'Public Api.bought' }],
  ])('an embedded key reports no event %s, and the call stores nothing', async (_what, path, event) => {
    const { id } = await newDevice(user);
    for (const address of [`/v6/devices/${id}`, '/v6/users/zoe-18', `/v6/devices/${randomUUID()}`]) {
      const refused = await call(`POST ${address}/events`, { events: [{ name: 'opened' }, event] });
      expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', details: [{ path }] } });
    }
    expect(await read(id)).toMatchObject({ events: {} });
    expect(
      await call(`POST /v6/devices/${id}/events`, { events: [event] }, api.app.keys.write),
    ).toMatchObject({
      status: 202,
    });
  });

  test('an embedded key reports events under any other name', async () => {
    const { id } = await newDevice();
    const names = ['Public Api', 'public api.x', 'a.Public Api.b', 'screen.opened'];
    const events = [...names.map((name) => ({ name })), { name: 'plain', source: null }];
    const reported = await call(`POST /v6/devices/${id}/events`, { events });
    expect(reported.status).toBe(202);
    expect(Object.keys(z.looseObject({}).parse((await read(id))['events'])).sort()).toEqual(
      [...names, 'plain'].sort(),
    );
  });
});

describe('personal data and an embedded key', () => {
  test.each([
    ['by an update that says nothing', {}],
    ['by an update of something else', { badge: 1, tags: ['a'] }],
  ])('an embedded key reads no personal data %s', async (_how, update) => {
    const { id, token } = await newDevice(person);
    const reply = await call(`PUT /v6/devices/${id}`, { device: update });
    expect(reply).toMatchObject({ status: 200, body: { device: { id, ...update } } });
    for (const secret of [token, 'zoe', '73.5', '73.6']) expect(reply.text).not.toContain(secret);
    // Sent back as it came, it clears nothing.
    await call(`PUT /v6/devices/${id}`, { device: withDevice.parse(reply.body).device });
    expect(await read(id)).toMatchObject({ push_token: token, ...person });
  });

  test('an embedded key reads no personal data by the push token of a device', async () => {
    const { id, token } = await newDevice(person);
    const device = { platform: 'iOS', push_token: token };
    const reply = await call('POST /v6/devices', { device });
    expect(reply).toMatchObject({ status: 200, body: { device: { id, push_token: token } } });
    for (const secret of ['zoe', '73.5', '73.6']) expect(reply.text).not.toContain(secret);
  });

  test('an embedded key gets back only the personal data that the call itself sent', async () => {
    const { id } = await newDevice(person);
    const sent = { user_email: 'new@example.com', location: null };
    const reply = await call(`PUT /v6/devices/${id}`, { device: sent });
    expect(reply).toMatchObject({ status: 200, body: { device: sent } });
    expect(reply.text).not.toContain('zoe');
  });

  test('an embedded key reads no personal data by an event or an open', async () => {
    const { id } = await newDevice(person);
    const event = { events: [{ name: 'bought' }] };
    expect((await call(`POST /v6/devices/${id}/events`, event)).body).toEqual({});
    expect((await call('POST /v6/users/zoe-17/events', event)).body).toEqual({});
    const notificationId = await api.newNotification();
    const opened = await call(`POST /v6/notifications/${notificationId}/opens`, { device_id: id });
    expect(opened).toMatchObject({ status: 202, body: {} });
  });

  test('a key that may read as well gets all personal data', async () => {
    const { id, token } = await newDevice(person);
    const reply = await call(`PUT /v6/devices/${id}`, { device: {} }, api.app.keys.every);
    expect(reply.body).toMatchObject({ device: { push_token: token, ...person } });
  });
});

describe('push tokens and an embedded key', () => {
  test('an embedded key moves a push token only by presenting it', async () => {
    const victim = await newDevice(person);
    const own = await newDevice();
    const guessed = newToken();
    await call(`PUT /v6/devices/${own.id}`, { device: { push_token: guessed } });
    expect(await read(victim.id)).toMatchObject({ push_token: victim.token });
    const presented = await call(`PUT /v6/devices/${own.id}`, { device: { push_token: victim.token } });
    expect(presented.body).toMatchObject({ device: { id: own.id, push_token: victim.token } });
    expect(await read(victim.id)).toMatchObject({ push_token: null });
  });

  test('an embedded key moves a push token only to an id that the service assigned', async () => {
    const { token } = await newDevice();
    const id = randomUUID();
    expect((await call(`PUT /v6/devices/${id}`, { device: { push_token: token } })).status).toBe(404);
    const registered = await call('POST /v6/devices', {
      device: { platform: 'iOS', push_token: token, id },
    });
    expect(withDevice.parse(registered.body).device.id).not.toBe(id);
  });
});
