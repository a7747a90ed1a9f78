import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hashOf } from '../../src/apps/api-keys.ts';
import { basic, idIn, useApi } from './api.ts';

const ISO_WITH_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const created = z.object({ id: z.string(), to: z.object({ id: z.string() }) });
const listed = z.object({
  notifications: z.array(z.object({ id: z.string() })),
  meta: z.object({ cursor: z.string().nullable() }),
});

const api = useApi();

const hello = { to: '*', payload: { alert: 'hello' } };
const create = async (notification: object = hello, headers: Record<string, string> = {}) =>
  api.call('POST /v6/notifications', { body: { notification }, headers });
const audiences = async (): Promise<unknown> => (await api.call('GET /v6/audiences?per=100')).body;
describe('POST /v<N>/notifications', () => {
  test.each(['v3', 'v5', 'v6'])('the version %s creates a notification and returns it', async (version) => {
    const body = {
      notification: { to: [{ name: 'tags', criteria: ['a'] }], payload: { alert: 'hello', own: [1, null] } },
    };
    const reply = await api.call(`POST /${version}/notifications`, { key: api.app.keys.write, body });
    expect(reply.status).toBe(201);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.body).toEqual({
      created_at: expect.stringMatching(ISO_WITH_MS),
      state: 'scheduled',
      id: expect.stringMatching(UUID),
      to: { id: expect.stringMatching(UUID), type: 'Audience' },
      notification: body.notification,
    });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset=iso-8859-1',
  ])('a notification may be sent in a body of the type %s', async (contentType) => {
    expect((await create(hello, { 'content-type': contentType })).status).toBe(201);
  });

  test.each([
    ['one call', 'POST /v6/notifications', { notification: hello }],
    ['a batch', 'POST /v6/notifications/batch', [{ notification: hello }, { notification: hello }]],
  ])('the key that made a notification is stored: %s', async (_name, address, body) => {
    await api.call(address, { key: api.app.keys.write, body });
    const { id: keyId } = await api.db
      .selectFrom('api_keys')
      .select('id')
      .where('hash', '=', hashOf(api.app.keys.write))
      .executeTakeFirstOrThrow();
    const newest = await api.db
      .selectFrom('notifications')
      .select('made_by')
      .where('app_id', '=', api.app.id)
      .orderBy('created_at', 'desc')
      .limit(Array.isArray(body) ? body.length : 1)
      .execute();
    expect(newest.map(({ made_by: madeBy }) => madeBy)).toEqual(newest.map(() => keyId));
  });

  test('a notification is returned with all digits of its numbers', async () => {
    const payload = '{"alert":"x","id":9223372036854775807,"fine":0.570000000000000001,"tiny":1e-400}';
    const headers = { authorization: basic('', api.app.keys.every), 'content-type': 'application/json' };
    const response = await api.server.inject({
      method: 'POST',
      url: '/v6/notifications',
      headers,
      payload: `{"notification":{"to":"*","payload":${payload}}}`,
    });
    expect(response.statusCode).toBe(201);
    expect(response.body).toContain(payload);
    const { id } = created.parse(response.json());
    const read = await api.server.inject({
      url: `/v6/notifications/${id}`,
      headers: { authorization: basic('', api.app.keys.every) },
    });
    expect(read.body).toContain(payload);
  });

  test('equal JSON is returned for other spellings of numbers and another order of keys', async () => {
    const payload = '{"z":[1.10,1E5,1.0,-0],"7":"a"}';
    const response = await api.call('POST /v6/notifications', {
      raw: `{"notification":{"to":"*","payload":${payload}}}`,
    });
    expect(response).toMatchObject({
      status: 201,
      body: { notification: { payload: { z: [1.1, 100_000, 1, 0], 7: 'a' } } },
    });
  });

  test('a notification wakes the direct lane once it is stored', async () => {
    await create();
    // One job wakes the direct lane for whatever is due.
    expect(await api.queue.depth()).toMatchObject({ direct: 1 });
  });

  test('an idempotency key repeats the first reply, and is refused with another body', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(hello, headers);
    const again = await create(hello, headers);
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
    const other = await create({ to: '*', payload: { alert: 'other' } }, headers);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  });

  test('two idempotency keys at once are refused', async () => {
    const reply = await api.server.inject({
      method: 'POST',
      url: '/v6/notifications',
      headers: { authorization: basic('', api.app.keys.every), 'idempotency-key': ['a', 'b'] },
      payload: { notification: hello },
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ code: 'invalid_header' });
  });
});

describe('A notification to one device or one user', () => {
  test.each([
    ['device_id', 'Device', '2A86153D-e332-49e6-83fd-646951a710e4'],
    ['device_id', 'Device', 'no id of any device'],
    ['user_id', 'User', 'user-17 "é"'],
    ['user_id', 'User', ''],
  ])('the reply to a notification by %s names the %s %j', async (key, type, id) => {
    const notification = { to: { [key]: id }, payload: { alert: 'hello' } };
    const reply = await create(notification);
    expect(reply).toMatchObject({ status: 201, body: { to: { id, type }, notification } });
    const read = await api.call(`GET /v6/notifications/${idIn(reply)}`);
    expect(read).toMatchObject({ status: 200, body: { to: { id, type }, notification } });
    const list = await api.call('GET /v6/notifications?per=1');
    expect(list).toMatchObject({ status: 200, body: { notifications: [{ to: { id, type } }] } });
    const stats = await api.call(`GET /v6/stats/notifications/${idIn(reply)}/events`);
    expect(stats).toMatchObject({ status: 200, body: { audience_id: null, push_text: 'hello' } });
  });

  test('a notification to one device or user stores no audience', async () => {
    const before = await audiences();
    await create({ to: { user_id: 'user-without-audience' }, payload: { alert: 'hello' } });
    expect(await audiences()).toEqual(before);
  });

  test('a notification to one device is the same for a repeated idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const notification = { to: { user_id: 'user-17' }, payload: { alert: 'hello' } };
    const first = await create(notification, headers);
    expect(await create(notification, headers)).toMatchObject({ status: 201, body: first.body });
    const other = await create({ ...notification, to: { user_id: 'user-18' } }, headers);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  });

  test('a notification to one device has an outcome for that device only', async () => {
    const [device, other] = [await api.newDevice(), await api.newDevice()];
    const id = await api.newNotification({ to: { device_id: device }, payload: { alert: 'hello' } });
    const outcome = async (of: string): Promise<unknown> =>
      (await api.call(`GET /v6/notifications/${id}/deliveries/${of}`)).body;
    expect(await outcome(device)).toMatchObject({ outcome: 'pending' });
    expect(await outcome(other)).toMatchObject({ outcome: 'not_targeted' });
  });
});

describe('GET /v6/notifications', () => {
  test('the list has every notification once, newest first', async () => {
    const ids = [await api.newNotification(), await api.newNotification(), await api.newNotification()];
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const reply = await api.call(`GET /v6/notifications?per=2${cursor && `&cursor=${cursor}`}`);
      expect(reply.status).toBe(200);
      const page = listed.parse(reply.body);
      expect(page.notifications.length).toBeLessThanOrEqual(2);
      seen.push(...page.notifications.map(({ id }) => id));
      cursor = page.meta.cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(ids));
  });

  test('the list has nothing of another app', async () => {
    const id = await api.newNotification();
    const theirs = await api.call('GET /v6/notifications?per=100', { key: api.otherApp.keys.read });
    expect(listed.parse(theirs.body).notifications.map((one) => one.id)).not.toContain(id);
  });
});

describe('A notification', () => {
  test('a notification reads back with its state and counters', async () => {
    const id = await api.newNotification();
    const reply = await api.call(`GET /v6/notifications/${id}`, { key: api.app.keys.read });
    expect(reply).toMatchObject({
      status: 200,
      body: { id, state: 'scheduled', notification: hello, pending: 0 },
    });
    expect((await api.call(`GET /v6/notifications/${id.toUpperCase()}`)).status).toBe(200);
  });

  test('a notification is canceled once, with or without a body or its type', async () => {
    const ways = [{}, { raw: '' }, { raw: '{}' }, { headers: { 'content-type': 'application/json' } }];
    for (const way of ways) {
      const id = await api.newNotification();
      const first = await api.call(`POST /v6/notifications/${id}/cancel`, way);
      expect(first).toMatchObject({ status: 200, body: { id, state: 'canceled' } });
      const again = await api.call(`POST /v6/notifications/${id}/cancel`, way);
      expect(again).toMatchObject({ status: 409, body: { code: 'already_ended' } });
    }
  });

  test('a notification has an outcome for each device', async () => {
    const device = await api.newDevice();
    const id = await api.newNotification();
    const targeted = await api.call(`GET /v6/notifications/${id}/deliveries/${device}`);
    expect(targeted).toMatchObject({
      status: 200,
      body: { notification_id: id, device_id: device, outcome: 'pending' },
    });
    const none = await api.call(
      `GET /v6/notifications/${id.toUpperCase()}/deliveries/${randomUUID().toUpperCase()}`,
    );
    expect(none).toMatchObject({ status: 200, body: { outcome: 'not_targeted', reason: null, at: null } });
  });

  test('a notification accepts an open of a device that it was not sent to, and does not count it', async () => {
    const device = await api.newDevice();
    const id = await api.newNotification();
    const reply = await api.call(`POST /v6/notifications/${id}/opens`, {
      key: api.app.keys.register,
      body: { device_id: device },
    });
    expect(reply).toMatchObject({ status: 202, body: {} });
    const stats = await api.call(`GET /v6/stats/notifications/${id}/events`, { key: api.app.keys.read });
    expect(stats.status).toBe(200);
    expect(stats.body).toEqual({
      id,
      audience_id: expect.stringMatching(UUID),
      push_text: 'hello',
      published_time: expect.stringMatching(ISO_WITH_MS),
      direct_opens: 0,
      opens: 0,
      pushes_succeeded: 0,
      pushes_rejected: 0,
    });
  });
});
