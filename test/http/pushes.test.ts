/** The lists of pushes of a device and of a user, as a caller sees them. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const api = useApi();
const withDevice = z.object({ device: z.object({ id: z.string() }) });
const withId = z.object({ id: z.string() });
const EMAIL = 'ada@example.com';

/** A device of the user, and a push to the user in an hour. */
async function prepare(userId: string): Promise<{ id: string; notificationId: string }> {
  const push_token = randomBytes(32).toString('hex');
  const device = { platform: 'iOS', push_token, user_id: userId, user_email: EMAIL };
  const registered = await api.call('POST /v6/devices', { body: { device } });
  const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
  const notification = {
    to: { user_id: userId },
    payload: { title: 'Order 4711', alert: 'On its way' },
    deliver_at,
  };
  const created = await api.call('POST /v6/notifications', { body: { notification } });
  const { id } = withDevice.parse(registered.body).device;
  return { id, notificationId: withId.parse(created.body).id };
}

test('a push is in the list of its device and of its user, by id and by e-mail address', async () => {
  const { id, notificationId } = await prepare('ada lovelace/1');
  const push = { notification_id: notificationId, title: 'Order 4711', state: 'planned' };
  const ofUser = {
    status: 200,
    body: { pushes: [{ ...push, devices: [{ device_id: id, state: 'planned' }] }] },
  };
  expect(await api.call(`GET /v6/devices/${id}/pushes`)).toMatchObject({
    status: 200,
    body: { pushes: [push] },
  });
  const user = encodeURIComponent('ada lovelace/1');
  expect(await api.call(`GET /v6/users/${user}/pushes`)).toMatchObject(ofUser);
  expect(await api.call('POST /v6/users/pushes', { body: { user_email: EMAIL } })).toMatchObject(ofUser);
  expect(JSON.stringify(api.observations)).not.toContain(EMAIL);
  const theirs = { key: api.otherApp.keys.read };
  expect(await api.call(`GET /v6/users/${user}/pushes`, theirs)).toMatchObject({ status: 404 });
  const byEmail = await api.call('POST /v6/users/pushes', { ...theirs, body: { user_email: EMAIL } });
  expect(byEmail).toMatchObject({ status: 200, body: { pushes: [] } });
});

test.each(['GET /v6/devices/<id>/pushes', 'GET /v6/users/ada/pushes', 'POST /v6/users/pushes'])(
  'the permission `read` alone allows %s',
  async (address) => {
    const { id } = await prepare('ada');
    const real = address.replace('<id>', id);
    const call = address.startsWith('POST') ? { body: { user_email: EMAIL } } : {};
    const { read, write, register, admin } = api.app.keys;
    expect(await api.call(real, { ...call, key: read })).toMatchObject({ status: 200 });
    for (const key of [write, register, admin]) {
      expect(await api.call(real, { ...call, key })).toMatchObject({ status: 403 });
    }
  },
);

test('an address without text, and a cursor that is none, are refused in a body', async () => {
  for (const body of [{}, { user_email: '' }, { user_email: EMAIL, cursor: 'x' }, { user_id: 'ada' }]) {
    const reply = await api.call('POST /v6/users/pushes', { body });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  }
});
