/** The lists of pushes of a device and of a user, as a caller sees them. */
import { expect, test } from 'vitest';
import { useApi } from './api.ts';

const api = useApi();
const EMAIL = 'ada@example.com';

/** A device of the user, and a push to the user in an hour. */
async function prepare(userId: string): Promise<{ id: string; notificationId: string }> {
  const id = await api.newDevice({ user_id: userId, user_email: EMAIL });
  const deliver_at = new Date(Date.now() + 3_600_000).toISOString();
  const payload = { title: 'Order 4711', alert: 'On its way' };
  return { id, notificationId: await api.newNotification({ to: { user_id: userId }, payload, deliver_at }) };
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

test('an address without text, and a cursor that is none, are refused in a body', async () => {
  for (const body of [{}, { user_email: '' }, { user_email: EMAIL, cursor: 'x' }, { user_id: 'ada' }]) {
    const reply = await api.call('POST /v6/users/pushes', { body });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  }
});
