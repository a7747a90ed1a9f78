/** Pushes to other tokens of a device than the one for alerts, from the API to Apple. */
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { end, update, useActivityApp } from './activity-app.ts';

vi.setConfig({ testTimeout: 30_000 });
const it = useActivityApp();
const suffix = (added: string): string => `${it.app.bundleId}${added}`;

test('an update of an activity reaches every device with the activity, and no other, at its token', async () => {
  const [first, second, third] = [await it.register(), await it.register(), await it.register()];
  const tokens = [
    await it.token(first.id, 'live_activity', 'order-4711'),
    await it.token(second.id, 'live_activity', 'order-4711'),
  ];
  const other = await it.token(third.id, 'live_activity', 'order-4712');
  const before = Math.floor(Date.now() / 1_000);
  const id = await it.send(update({ stops: 3, exact: 12345678901234567890n.toString() }));
  expect(await it.ended(id)).toMatchObject({ devices: 2, accepted: 2 });
  for (const token of tokens) {
    const [push] = it.pushes(token);
    expect(push?.headers).toMatchObject({
      'apns-push-type': 'liveactivity',
      'apns-topic': suffix('.push-type.liveactivity'),
      'apns-priority': '5',
    });
    const { aps, ...others } = JSON.parse(push?.body ?? '{}');
    expect(others).toEqual({});
    expect(aps).toEqual({
      event: 'update',
      timestamp: expect.any(Number),
      'content-state': { stops: 3, exact: '12345678901234567890' },
    });
    expect(aps.timestamp).toBeGreaterThanOrEqual(before);
  }
  for (const token of [other, first.token, second.token]) expect(it.pushes(token)).toEqual([]);
});

test('an update with an alert is sent at once, and an update to one device reaches that device alone', async () => {
  const [first, second] = [await it.register(), await it.register()];
  const token = await it.token(first.id, 'live_activity', 'order-4711');
  const other = await it.token(second.id, 'live_activity', 'order-4711');
  const payload = { title: 'Order 4711', loc_key: 'STOPS', loc_args: ['2'], sound: 'bell.caf' };
  const id = await it.send({ ...update({ stops: 2 }), to: { device_id: first.id }, payload });
  expect(await it.ended(id)).toMatchObject({ devices: 1, accepted: 1 });
  const [push] = it.pushes(token);
  expect(push?.headers['apns-priority']).toBe('10');
  expect(JSON.parse(push?.body ?? '{}').aps.alert).toEqual({
    title: 'Order 4711',
    body: { 'loc-key': 'STOPS', 'loc-args': ['2'] },
    sound: 'bell.caf',
  });
  expect(it.pushes(other)).toEqual([]);
});

test('a start of an activity reaches the devices of its audience that have a push-to-start token', async () => {
  const fan = await it.register({ tags: ['fan'] });
  const stranger = await it.register();
  await it.register({ tags: ['fan'] });
  const token = await it.token(fan.id, 'live_activity_start', 'MatchAttributes');
  const other = await it.token(stranger.id, 'live_activity_start', 'MatchAttributes');
  const id = await it.send({
    to: [{ name: 'tags', criteria: ['fan'] }],
    payload: { title: 'Kick-off', alert: 'Reds against Blues' },
    live_activity: {
      event: 'start',
      attributes_type: 'MatchAttributes',
      attributes: { match: 7 },
      content_state: { score: '0:0' },
      stale_date: '2030-01-01T00:00:00Z',
      relevance_score: 75,
    },
  });
  expect(await it.ended(id)).toMatchObject({ devices: 1, accepted: 1 });
  expect(JSON.parse(it.pushes(token)[0]?.body ?? '{}').aps).toEqual({
    event: 'start',
    timestamp: expect.any(Number),
    'content-state': { score: '0:0' },
    'attributes-type': 'MatchAttributes',
    attributes: { match: 7 },
    'input-push-token': 1,
    'stale-date': 1_893_456_000,
    'relevance-score': 75,
    alert: { title: 'Kick-off', body: 'Reds against Blues' },
  });
  expect(it.pushes(other)).toEqual([]);
});

test('widgets are refreshed at the token of the widget', async () => {
  const { id: deviceId, token: pushToken } = await it.register();
  const token = await it.token(deviceId, 'widgets', 'default');
  const id = await it.send({ to: '*', apns: { push_type: 'widgets' } });
  expect(await it.ended(id)).toMatchObject({ devices: 1, accepted: 1 });
  const [push] = it.pushes(token);
  expect(push?.body).toBe('{"aps":{"content-changed":true}}');
  expect(push?.headers['apns-topic']).toBe(suffix('.push-type.widgets'));
  expect(it.pushes(pushToken)).toEqual([]);
});

test.each([
  ['controls', '.push-type.controls', {}],
  ['location', '.location-query', {}],
  ['complication', '.complication', { payload: { score: 1 } }],
  ['fileprovider', '.pushkit.fileprovider', { payload: { domain: 'a' } }],
  ['pushtotalk', '.voip-ptt', { payload: { speaker: 'Ann' }, priority: 'high' }],
  ['voip', '.voip', { payload: { call: 'x'.repeat(4_500) }, priority: 'high' }],
])('a push of type %s has the topic and the content that Apple demands', async (type, topic, more) => {
  const { id: deviceId } = await it.register();
  const token = await it.token(deviceId, type, 'main');
  const apns = { push_type: type, topic_suffix: topic, token_name: 'main' };
  const id = await it.send({ to: { device_id: deviceId }, apns, ...more });
  expect(await it.ended(id)).toMatchObject({ accepted: 1 });
  expect(it.pushes(token)[0]?.headers).toMatchObject({ 'apns-push-type': type, 'apns-topic': suffix(topic) });
});

test('headers of an ordinary notification replace the headers that follow from its push type', async () => {
  const { id: deviceId, token: pushToken } = await it.register();
  const headers = { 'apns-priority': '1', 'apns-expiration': '0', 'apns-collapse-id': 'one' };
  await it.ended(await it.send({ to: { device_id: deviceId }, payload: { alert: 'a' }, apns: { headers } }));
  expect(it.pushes(pushToken)[0]?.headers).toMatchObject({ ...headers, 'apns-push-type': 'alert' });
});

describe('A token that Apple reports dead', () => {
  test.each([
    ['an activity that has ended', 410, 'Unregistered'],
    ['the token of another environment', 400, 'BadDeviceToken'],
  ])(
    'a token that Apple reports dead is forgotten, and the device keeps its token for alerts: %s',
    async (_what, status, reason) => {
      const { id: deviceId, token: pushToken } = await it.register();
      const token = await it.token(deviceId, 'live_activity', 'order-4711');
      await it.token(deviceId, 'live_activity', 'order-4712');
      it.simulator.orderFault({ kind: 'answer', token, status, reason });
      const id = await it.send(update({ stops: 1 }));
      expect(await it.ended(id)).toMatchObject({ devices: 1, unregistered: 1 });
      expect(await it.call(`GET /v6/devices/${deviceId}/tokens`)).toMatchObject({
        tokens: [{ token_name: 'order-4712' }],
      });
      const alert = await it.send({ to: { device_id: deviceId }, payload: { alert: 'Still here' } });
      expect(await it.ended(alert)).toMatchObject({ accepted: 1 });
      expect(it.pushes(pushToken)).toHaveLength(1);
    },
  );

  test('dead tokens of activities do not pause the route, however many activities have ended', async () => {
    const devices = await Promise.all(Array.from({ length: 12 }, async () => it.register()));
    for (const { id } of devices) await it.token(id, 'live_activity', 'order-4711');
    it.simulator.orderFault({ kind: 'answer', status: 400, reason: 'BadDeviceToken', times: 12 });
    expect(await it.ended(await it.send(update({ stops: 1 })))).toMatchObject({ unregistered: 12 });
    const alert = await it.send({ to: '*', payload: { alert: 'Still here' } });
    expect(await it.ended(alert)).toMatchObject({ accepted: 12 });
  });
});

test('notifications of every kind are stored together in one batch', async () => {
  const { id: deviceId, token: pushToken } = await it.register({ user_id: 'ann' });
  const token = await it.token(deviceId, 'live_activity', 'order-4711');
  const widget = await it.token(deviceId, 'widgets', 'default');
  const one = { device_id: deviceId };
  const payload = { alert: 'Hello' };
  const items = [
    { notification: { to: one, payload } },
    { notification: { ...update({ stops: 2 }), to: one }, idempotency_key: 'update' },
    { notification: { to: '*', apns: { push_type: 'widgets' } } },
    { notification: { to: { user_id: 'ann' }, payload, spread_over: 'PT1S' } },
    { notification: update({ stops: 1 }, { activity_id: 'order-4712' }), idempotency_key: 'other' },
  ];
  const ids = await callBatch(items);
  expect(ids).toHaveLength(items.length);
  for (const id of ids) await it.ended(id);
  expect([pushToken, token, widget].map((each) => it.pushes(each).length)).toEqual([2, 1, 1]);
  expect(await callBatch(items.slice(1, 2))).toEqual(ids.slice(1, 2));
});

const created = z.array(z.object({ id: z.string() }));
const callBatch = async (items: readonly object[]) =>
  created.parse(await it.call('POST /v6/notifications/batch', items)).map(({ id }) => id);

test('the explanation says that a device has no token for the activity, or that the update was replaced', async () => {
  const { id: deviceId } = await it.register();
  const explain = async (id: string) =>
    it.call(`GET /v6/notifications/${id}/deliveries/${deviceId}/explanation`);
  const unknown = await it.send(update({ stops: 1 }));
  await it.ended(unknown);
  expect(await explain(unknown)).toMatchObject({ causes: [{ code: 'no_named_token' }] });
  await it.token(deviceId, 'live_activity', 'order-4711');
  await it.ended(await it.send(end()));
  const late = await it.send(update({ stops: 1 }));
  await it.ended(late);
  expect(await explain(late)).toMatchObject({
    causes: [{ code: 'left_out', sentence: expect.stringContaining('had been ended') }],
  });
});

test('the tokens of an erased device are deleted with it', async () => {
  const { id: deviceId } = await it.register();
  const token = await it.token(deviceId, 'live_activity', 'order-4711');
  await it.call(`DELETE /v6/devices/${deviceId}`);
  expect(await it.ended(await it.send(end()))).toMatchObject({ devices: 0 });
  const { db } = it;
  const left = await db.selectFrom('named_tokens').selectAll().where('push_token', '=', token).execute();
  expect(left).toEqual([]);
});
