import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useApi } from './api.ts';

const api = useApi();

const register = async (fields: Record<string, unknown>): Promise<void> => {
  const device = { platform: 'Android', push_token: randomUUID(), ...fields };
  expect((await api.call('POST /v6/devices', { body: { device } })).status).toBe(201);
};

test('a builder gets the values and the names of the app with the permission to read', async () => {
  const custom = { plan: { type: 'string', value: 'gold' } };
  await register({ locale: 'fr_FR', custom });
  await register({ locale: 'fr_FR', custom });
  await register({ locale: 'en_GB' });
  const key = api.app.keys.read;
  expect(await api.call('GET /v6/filters/values?name=locale&prefix=fr', { key })).toMatchObject({
    status: 200,
    body: { values: [{ value: 'fr_FR', device_count: 2, is_exact: true }] },
  });
  expect(await api.call('GET /v6/filters/names?prefix=pl', { key })).toMatchObject({
    status: 200,
    body: { names: [{ name: 'custom.string.plan', device_count: 2, is_exact: true }] },
  });
});

test.each(['values?name=locale', 'names'])(
  'the call filters/%s needs the permission to read',
  async (call) => {
    for (const scope of ['write', 'register', 'admin'] as const) {
      expect((await api.call(`GET /v6/filters/${call}`, { key: api.app.keys[scope] })).status).toBe(403);
    }
  },
);

test.each([
  ['values', 'name'],
  ['values?name=lokale', 'name'],
  ['values?name=custom.string.', 'name'],
  [`values?name=locale&prefix=${'x'.repeat(101)}`, 'prefix'],
  [`names?prefix=${'x'.repeat(101)}`, 'prefix'],
])('the call filters/%s is refused for its %s', async (call, path) => {
  const reply = await api.call(`GET /v6/filters/${call}`);
  expect(reply).toMatchObject({ status: 422, body: { details: [{ path }] } });
});
