import { expect, test } from 'vitest';
import { useApi } from './api.ts';

const api = useApi();

test('a builder gets the values and the names of the app with the permission to read', async () => {
  const custom = { plan: { type: 'string', value: 'gold' } };
  await api.newDevice({ locale: 'fr_FR', custom });
  await api.newDevice({ locale: 'fr_FR', custom });
  await api.newDevice({ locale: 'en_GB' });
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
