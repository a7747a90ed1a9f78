import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from './api.ts';

const api = useApi();
let deviceId: string;
let audienceId: string;

beforeAll(async () => {
  await api.newDevice({ user_id: 'anna', tags: ['beta'] });
  await api.newDevice({ user_id: 'anna' });
  deviceId = await api.newDevice({ user_id: 'ben', tags: ['beta'], development: true });
  audienceId = await api.newAudience([{ name: 'tags', criteria: ['beta'] }]);
});

test.each<[string, () => unknown, number]>([
  ['everyone', () => '*', 3],
  ['an audience', () => ({ audience: audienceId }), 2],
  ['an audience by its id alone, in capitals', () => audienceId.toUpperCase(), 2],
  ['filters', () => [{ name: 'development', criteria: [true] }], 1],
  ['a device', () => ({ device_id: deviceId }), 1],
  ['a device that does not exist', () => ({ device_id: 'nothing' }), 0],
  ['a user', () => ({ user_id: 'anna' }), 2],
  ['a user without devices', () => ({ user_id: 'nobody' }), 0],
])('the reply counts %s', async (_what, to, devices) => {
  const reply = await api.call('POST /v6/notifications/count', {
    key: api.app.keys.read,
    body: { to: to() },
  });
  expect(reply).toMatchObject({ status: 200, body: { device_count: devices, reachable_count: devices } });
});

test('an audience of another app is not counted', async () => {
  const key = api.otherApp.keys.read;
  const reply = await api.call('POST /v6/notifications/count', { key, body: { to: audienceId } });
  expect(reply.status).toBe(404);
});

test('devices without a push token are counted as not reachable', async () => {
  await api.db.updateTable('devices').set({ push_token: null }).where('id', '=', deviceId).execute();
  const reply = await api.call('POST /v6/notifications/count', { body: { to: '*' } });
  expect(reply.body).toEqual({ device_count: 3, reachable_count: 2 });
});

test('locales are counted, each with the translation that it gets, the most frequent first', async () => {
  const user = { user_id: randomUUID() };
  for (const locale of ['fr_CA', 'de_DE', 'fr_CA', undefined]) {
    await api.newDevice({ locale, ...user });
  }
  const reply = await api.call('POST /v6/notifications/locales', {
    key: api.app.keys.read,
    body: { to: user, translations: ['en', 'fr', 'FR_ca'] },
  });
  expect(reply.body).toMatchObject({ devices: 4, is_sample: false, untranslated: 2 });
  const { locales } = z.object({ locales: z.array(z.unknown()) }).parse(reply.body);
  expect(locales[0]).toEqual({ locale: 'fr_CA', devices: 2, translation: 'FR_ca' });
  expect(locales.slice(1)).toEqual(
    expect.arrayContaining([
      { locale: 'de_DE', devices: 1, translation: null },
      { locale: null, devices: 1, translation: null },
    ]),
  );
});
