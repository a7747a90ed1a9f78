import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { basic, idIn, useApi } from './api.ts';
import { newToken } from '../support/push-token.ts';

const withDevice = z.object({
  device: z.looseObject({ events: z.record(z.string(), z.looseObject({ count: z.number() })) }),
});

const api = useApi();

const register = async (fields: object = {}) =>
  api.call('POST /v6/devices', {
    key: api.app.keys.register,
    body: { device: { platform: 'iOS', push_token: newToken(), ...fields } },
  });
const newDeviceId = async (fields?: object): Promise<string> => idIn(await register(fields));
const readDevice = async (id: string) =>
  withDevice.parse((await api.call(`GET /v6/devices/${id}`)).body).device;

describe('A device', () => {
  test('a device is created with 201, and found by the same token with 200 and the same id', async () => {
    const push_token = newToken();
    const first = await register({ push_token, tags: ['a'] });
    expect(first).toMatchObject({
      status: 201,
      body: { device: { platform: 'iOS', push_token, tags: ['a'] } },
    });
    const again = await register({ push_token, locale: 'en_GB' });
    const id = idIn(first);
    expect(again).toMatchObject({ status: 200, body: { device: { id, tags: ['a'], locale: 'en_GB' } } });
  });

  test('a device reads back as it was registered, integers of 64 bits included', async () => {
    const id = await newDeviceId({ location: { latitude: 1.5, longitude: -2 } });
    await api.call(`PUT /v6/devices/${id}`, {
      raw: '{"device":{"custom":{"big":{"type":"integer","value":9223372036854775807}}}}',
    });
    const authorization = basic('', api.app.keys.read);
    const reply = await api.server.inject({ url: `/v6/devices/${id}`, headers: { authorization } });
    expect(reply.statusCode).toBe(200);
    expect(reply.body).toContain('9223372036854775807');
    expect(reply.json()).toMatchObject({ device: { id, location: { latitude: 1.5, longitude: -2 } } });
  });

  test('a device keeps the attributes that an update does not name', async () => {
    const id = await newDeviceId({ tags: ['a'], badge: 3 });
    const body = { device: { badge: 4 } };
    const reply = await api.call(`PUT /v6/devices/${id}`, { key: api.app.keys.register, body });
    expect(reply).toMatchObject({ status: 200, body: { device: { id, badge: 4, tags: ['a'] } } });
  });

  test('a device is erased with 204, and then refuses updates with 451', async () => {
    const id = await newDeviceId({ user_id: 'someone' });
    const erased = await api.call(`DELETE /v6/devices/${id}`, { key: api.app.keys.admin });
    expect(erased).toMatchObject({ status: 204, body: undefined });
    const update = await api.call(`PUT /v6/devices/${id}`, { body: { device: { badge: 1 } } });
    expect(update).toMatchObject({ status: 451, body: { code: 'device_erased' } });
    const withType = { headers: { 'content-type': 'application/json' } };
    expect((await api.call(`DELETE /v6/devices/${id}`, withType)).status).toBe(204);
  });
});

describe('Events', () => {
  test('events have the public API as their source with a server’s key, and none with an app’s key', async () => {
    const { write, register: embedded, every } = api.app.keys;
    const id = await newDeviceId();
    for (const key of [write, every, embedded]) {
      const reply = await api.call(`POST /v6/devices/${id}/events`, {
        key,
        body: { events: [{ name: 'opened' }] },
      });
      expect(reply).toMatchObject({ status: 202, body: {} });
    }
    const { events } = await readDevice(id);
    expect(events).toMatchObject({ 'Public Api.opened': { count: 2 }, opened: { count: 1 } });
  });

  test('events keep the source that a server’s key names', async () => {
    const id = await newDeviceId();
    await api.call(`POST /v6/devices/${id}/events`, {
      body: { events: [{ name: 'bought', source: 'Shop' }] },
    });
    expect(Object.keys((await readDevice(id)).events)).toEqual(['Shop.bought']);
  });
});

describe('A user', () => {
  test('a user means every device with that user id, with any characters in it', async () => {
    const user_id = `ä/ ?#%:${randomUUID()}${'🙂'.repeat(200)}`;
    const ids = [await newDeviceId({ user_id }), await newDeviceId({ user_id }), await newDeviceId()];
    const address = `/v6/users/${encodeURIComponent(user_id)}`;
    const custom = { plan: { type: 'string', value: 'gold' } };
    const updated = await api.call(`PUT ${address}`, { key: api.app.keys.write, body: { user: { custom } } });
    expect(updated).toMatchObject({ status: 200, body: { devices: 2 } });
    const event = { events: [{ name: 'opened' }] };
    const reported = await api.call(`POST ${address}/events`, { key: api.app.keys.register, body: event });
    expect(reported).toMatchObject({ status: 202, body: {} });
    const devices = await Promise.all(ids.map(readDevice));
    expect(devices.map((device) => [device['custom'], Object.keys(device.events)])).toEqual([
      [custom, ['opened']],
      [custom, ['opened']],
      [{}, []],
    ]);
  });
});
