/** The calls with which support staff ask about a device, as a caller sees them. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useApi } from './api.ts';

const api = useApi();

async function register(attributes: object = {}): Promise<{ id: string; pushToken: string }> {
  const pushToken = randomBytes(32).toString('hex');
  return { id: await api.newDevice({ platform: 'iOS', push_token: pushToken, ...attributes }), pushToken };
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

describe('An explanation', () => {
  test('the explanation of a scheduled notification to the device says so', async () => {
    const id = await api.newDevice();
    const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
    const notificationId = await api.newNotification({ to: { device_id: id }, deliver_at });
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
    const id = await api.newDevice();
    await api.call(`DELETE /v6/devices/${id}`);
    const path = `GET /v6/notifications/${await api.newNotification()}/deliveries/${id}/explanation`;
    expect(await api.call(path)).toMatchObject({
      status: 200,
      body: { causes: [{ code: 'scheduled' }, { code: 'device_erased' }], audience: null },
    });
  });
});
