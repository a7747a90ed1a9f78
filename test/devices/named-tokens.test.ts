/** The tokens of a device for other push types than alerts, over HTTP. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { NAMED_TOKENS_MAX } from '../../src/devices/tokens/named-tokens.ts';
import { useApi } from '../http/api.ts';
import { newToken } from '../support/push-token.ts';

let now = new Date('2026-11-24T18:00:00.000Z');
const api = useApi(() => now);

async function newDevice(platform = 'iOS'): Promise<string> {
  const device = { platform, push_token: platform === 'iOS' ? newToken() : `fcm:${newToken()}` };
  const { body } = await api.call('POST /v6/devices', { body: { device } });
  return z.object({ device: z.object({ id: z.string() }) }).parse(body).device.id;
}

const path = (id: string, name = 'order-4711', type = 'live_activity'): string =>
  `/v6/devices/${id}/tokens/${type}/${encodeURIComponent(name)}`;
const put = async (id: string, push_token: string, name?: string, type?: string) =>
  api.call(`PUT ${path(id, name, type)}`, { key: api.app.keys.register, body: { push_token } });
const list = async (id: string) => (await api.call(`GET /v6/devices/${id}/tokens`)).body;

async function stored(id: string) {
  return api.db
    .selectFrom('named_tokens')
    .select(['name', 'push_token', 'registered_at', 'presented_at'])
    .where('device_id', '=', id)
    .execute();
}

test('a named token is registered, replaced and removed, and never returned', async () => {
  const id = await newDevice();
  const [first, second] = [newToken(), newToken()];
  const reply = await put(id, first.toUpperCase(), 'order/4711 ü');
  expect([reply.status, reply.body]).toEqual([204, undefined]);
  expect(await stored(id)).toMatchObject([{ name: 'order/4711 ü', push_token: first }]);
  await put(id, second, 'order/4711 ü');
  expect(await stored(id)).toMatchObject([{ push_token: second }]);
  const listed = await list(id);
  expect(listed).toEqual({
    tokens: [{ token_type: 'live_activity', token_name: 'order/4711 ü', registered_at: now.toISOString() }],
  });
  const removal = `DELETE ${path(id, 'order/4711 ü')}`;
  expect(await api.call(removal, { key: api.app.keys.register })).toMatchObject({ status: 204 });
  expect(await api.call(removal, { key: api.app.keys.register })).toMatchObject({ status: 204 });
  expect(await list(id)).toEqual({ tokens: [] });
});

test('a named token that is sent again keeps the time of its first registration', async () => {
  const id = await newDevice();
  const token = newToken();
  const first = now;
  await put(id, token);
  now = new Date(first.getTime() + 30 * 60_000);
  await put(id, token);
  expect(await stored(id)).toMatchObject([{ registered_at: first, presented_at: first }]);
  now = new Date(first.getTime() + 61 * 60_000);
  await put(id, token);
  expect(await stored(id)).toMatchObject([{ registered_at: first, presented_at: now }]);
});

test('a device that presents the named token of another one takes it', async () => {
  const [first, second] = [await newDevice(), await newDevice()];
  const token = newToken();
  await put(first, token, 'default', 'widgets');
  await put(second, token, 'default', 'widgets');
  expect([await stored(first), await stored(second)]).toMatchObject([[], [{ push_token: token }]]);
});

test('a bad named token is refused with its fault, and nothing is stored', async () => {
  const [iphone, android] = [await newDevice(), await newDevice('Android')];
  const token = newToken();
  const refused = { status: 422, body: { code: 'invalid_request' } };
  expect(await put(android, token)).toMatchObject(refused);
  expect(await put(iphone, 'no hex')).toMatchObject(refused);
  expect(await put(iphone, token, 'a', 'alert')).toMatchObject(refused);
  expect(await put(iphone, token, 'x'.repeat(256))).toMatchObject(refused);
  expect(await put(iphone, token, 'a\0')).toMatchObject(refused);
  expect(await put(randomUUID(), token)).toMatchObject({ status: 404 });
  expect(await put('none', token)).toMatchObject({ status: 404 });
  expect(await api.call(`GET /v6/devices/${randomUUID()}/tokens`)).toMatchObject({ status: 404 });
  expect(await api.call(`DELETE ${path(randomUUID())}`)).toMatchObject({ status: 404 });
  expect([...(await stored(iphone)), ...(await stored(android))]).toEqual([]);
});

test('a device has a limited number of named tokens', async () => {
  const id = await newDevice();
  for (let number = 0; number < NAMED_TOKENS_MAX; number++) await put(id, newToken(), `order-${number}`);
  expect(await put(id, newToken(), 'one more')).toMatchObject({ status: 422 });
  expect(await put(id, newToken(), 'order-0')).toMatchObject({ status: 204 });
  expect(await stored(id)).toHaveLength(NAMED_TOKENS_MAX);
});
