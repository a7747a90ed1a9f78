/** The calls with which support staff ask about a device, as a caller sees them. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const api = useApi();
const withDevice = z.object({ device: z.object({ id: z.string() }) });
const withId = z.object({ id: z.string() });

async function register(attributes: object = {}): Promise<{ id: string; pushToken: string }> {
  const pushToken = randomBytes(32).toString('hex');
  const device = { platform: 'iOS', push_token: pushToken, ...attributes };
  const { body } = await api.call('POST /v6/devices', { body: { device } });
  return { id: withDevice.parse(body).device.id, pushToken };
}

describe('A look-up', () => {
  test('a look-up finds a device by its token, and keeps the token out of the log', async () => {
    const { id, pushToken } = await register();
    const reply = await api.call('POST /v6/devices/lookup', { body: { query: pushToken } });
    expect(reply).toMatchObject({
      status: 200,
      body: { devices: [{ match: 'push_token', device: { id } }], more: false, erased_at: null },
    });
    expect(JSON.stringify(api.observations)).not.toContain(pushToken);
  });

  test('a look-up is empty for what no device has, and for devices of another app', async () => {
    const { pushToken } = await register({ user_id: 'ada' });
    for (const query of [pushToken, 'ada']) {
      const reply = await api.call('POST /v6/devices/lookup', {
        key: api.otherApp.keys.read,
        body: { query },
      });
      expect(reply).toMatchObject({ status: 200, body: { devices: [], more: false } });
    }
  });
});

describe('calls that only `read` allows', () => {
  test.each([
    'POST /v6/devices/lookup',
    'GET /v6/devices/<id>/push-token',
    'GET /v6/devices/<id>/pushes',
    'GET /v6/notifications/<notification>/deliveries/<id>/explanation',
  ])('the permission `read` alone allows %s', async (address) => {
    const { id } = await register();
    const notification = { to: { device_id: id }, payload: { alert: 'Hi' } };
    const created = await api.call('POST /v6/notifications', { body: { notification } });
    const real = address.replace('<id>', id).replace('<notification>', withId.parse(created.body).id);
    const call = address.startsWith('POST') ? { body: { query: id } } : {};
    const { read, write, register: embedded, admin } = api.app.keys;
    expect(await api.call(real, { ...call, key: read })).toMatchObject({ status: 200 });
    for (const key of [write, embedded, admin]) {
      expect(await api.call(real, { ...call, key })).toMatchObject({ status: 403 });
    }
  });
});

describe('An explanation', () => {
  test('the explanation of a scheduled notification to the device says so', async () => {
    const { id } = await register();
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    const notification = { to: { device_id: id }, payload: { alert: 'Hi' }, deliver_at };
    const created = await api.call('POST /v6/notifications', { body: { notification } });
    const notificationId = withId.parse(created.body).id;
    const path = `GET /v6/notifications/${notificationId}/deliveries/${id.toUpperCase()}/explanation`;
    expect(await api.call(path)).toMatchObject({
      status: 200,
      body: {
        device_id: id,
        outcome: null,
        causes: [{ code: 'scheduled', at: deliver_at }, { code: 'no_credentials' }],
        audience: { matches: true, filters: [{ name: 'device_id', matches: true, value: id }] },
      },
    });
  });

  test('the explanation of an erased device is an answer', async () => {
    const { id } = await register();
    await api.call(`DELETE /v6/devices/${id}`);
    const notification = { to: '*', payload: { alert: 'Hi' } };
    const created = await api.call('POST /v6/notifications', { body: { notification } });
    const path = `GET /v6/notifications/${withId.parse(created.body).id}/deliveries/${id}/explanation`;
    expect(await api.call(path)).toMatchObject({
      status: 200,
      body: { causes: [{ code: 'scheduled' }, { code: 'device_erased' }], audience: null },
    });
  });
});
