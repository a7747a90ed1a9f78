/** A side attribute never costs a phone its registration: what breaks a rule is left out and named, and the rest is stored. */
import { expect, test } from 'vitest';
import { useApi } from './api.ts';
import { newToken } from '../support/push-token.ts';

const api = useApi();

async function register(device: object, key = api.app.keys.register) {
  const body = { device: { platform: 'iOS', user_id: 'user-17', ...device } };
  const { status, body: reply } = await api.call('POST /v6/devices', { body, key });
  return { status, reply: Object(reply) };
}

async function read(id: string) {
  return Object((await api.call(`GET /v6/devices/${id}`)).body).device;
}

const valid = {
  locale: 'en_GB',
  script: null,
  time_zone: 'Europe/London',
  os_name: 'iOS',
  os_version: '18.1',
  app_version: '2.0',
  sdk_version: '1.0',
  country: 'GB',
  marketing_name: 'iPhone',
  badge: 3,
  notifications_allowed: 'Enabled',
  location: { latitude: 51.5, longitude: -0.1 },
  sdk_location: { latitude: 51.6, longitude: -0.2 },
  quiet_hours: { from: '22:00', to: '07:00' },
  user_email: 'ada@example.com',
  tags: ['news'],
  custom: { plan: { type: 'string', value: 'gold' } },
};
const LONG = 'x'.repeat(256);

test.each<[attribute: string, values: unknown[], path?: string]>([
  ['locale', ['Deutsch', '', 'C', 7, LONG, ['en']]],
  ['script', ['Simplified', 4]],
  [
    'time_zone',
    [
      'GMT+3',
      'GMT+03:00',
      'UTC+03:00',
      'EST5EDT',
      'EST',
      'W. Europe Standard Time',
      '',
      'null',
      120,
      '(null)',
    ],
  ],
  ['os_name', [1, LONG]],
  ['os_version', [18, LONG, { major: 18 }]],
  ['app_version', [2.1, true]],
  ['sdk_version', [[1, 2]]],
  ['country', [49, LONG]],
  ['marketing_name', [LONG, {}]],
  ['badge', [-1, '3', 0.5, 2 ** 31]],
  ['notifications_allowed', [true, 'enabled', 'authorized']],
  ['user_email', [LONG, 1]],
  ['location', ['London', [51.5, -0.1]]],
  ['location', [{ latitude: 91, longitude: 0 }], 'location.latitude'],
  ['location', [{ latitude: 51, longitude: 0, altitude: 10 }], 'location.altitude'],
  ['sdk_location', [{ latitude: 51 }], 'sdk_location.longitude'],
  ['quiet_hours', ['22-7', 7]],
  ['quiet_hours', [{ from: '22:00', to: '7:00' }], 'quiet_hours.to'],
  ['tags', ['news', { a: 1 }]],
  ['custom', ['gold', [1]]],
])('an invalid %s, one of %j, is left out: the device keeps what it had', async (attribute, values, path) => {
  const push_token = newToken();
  const { reply: first } = await register({ push_token, ...valid });
  const before = await read(first.device.id);
  for (const value of values) {
    const again = await register({ push_token, app_version: '2.1', [attribute]: value });
    expect([value, again]).toMatchObject([
      value,
      {
        status: 200,
        reply: {
          ignored: expect.arrayContaining([
            { path: `device.${path ?? attribute}`, message: expect.any(String) },
          ]),
        },
      },
    ]);
    const { registered_at: _at, ...after } = await read(first.device.id);
    const expected = { ...before, app_version: attribute === 'app_version' ? before.app_version : '2.1' };
    expect(after).toEqual({ ...after, ...expected, registered_at: undefined });
    const fresh = await register({ push_token: newToken(), [attribute]: value });
    expect(fresh).toMatchObject({ status: 201, reply: { ignored: expect.any(Array) } });
    expect(await read(fresh.reply.device.id)).toMatchObject({ user_id: 'user-17' });
  }
});

test('all bad values are left out with a sentence for each fault, and the user and the token are stored', async () => {
  const push_token = newToken();
  const { status, reply } = await register({
    push_token,
    locale: 'Deutsch',
    time_zone: 'GMT+3',
    os_version: 18,
    badge: -1,
    tags: ['ok', '', 'fine', 7],
    custom: { good: { type: 'integer', value: 1 }, bad: { type: 'integer', value: 'x' }, odd: 'gold' },
    previous_push_token: 'undefined',
  });
  expect(status).toBe(201);
  expect(reply.ignored.map(({ path }: { path: string }) => path).sort()).toEqual(
    [
      'device.locale',
      'device.time_zone',
      'device.os_version',
      'device.badge',
      'device.tags[1]',
      'device.tags[3]',
      'device.custom.bad.value',
      'device.custom.odd',
      'device.previous_push_token',
    ].sort(),
  );
  expect(await read(reply.device.id)).toMatchObject({
    push_token,
    user_id: 'user-17',
    locale: null,
    time_zone: null,
    badge: null,
    tags: ['ok', 'fine'],
    custom: { good: { type: 'integer', value: 1 } },
  });
});

test('the first of too many tags and custom attributes are kept', async () => {
  const tags = Array.from({ length: 101 }, (_, index) => `tag ${index}`);
  const attributes = Array.from({ length: 60 }, (_, index) => [
    `a${index}`,
    { type: 'boolean', value: true },
  ]);
  const { reply } = await register({ push_token: newToken(), tags, custom: Object.fromEntries(attributes) });
  expect(reply.ignored.map(({ path }: { path: string }) => path).sort()).toEqual([
    'device.custom',
    'device.tags',
  ]);
  const device = await read(reply.device.id);
  expect(device.tags).toEqual(tags.slice(0, 100));
  expect(device.custom).toEqual(Object.fromEntries(attributes.slice(0, 50)));
});

test('thousands of faults are read in a moment, and the first hundred are named', async () => {
  const tags = Array.from({ length: 19_000 }, () => '');
  const { status, reply } = await register({ push_token: newToken(), tags });
  expect([status, reply.ignored.length]).toEqual([201, 100]);
});

test('a registration without a fault has no list of ignored values', async () => {
  const { reply } = await register({ push_token: newToken(), ...valid });
  expect(Object.keys(reply)).toEqual(['device']);
});

test.each<[what: string, device: object, paths: string[]]>([
  ['another platform', { platform: 'Windows' }, ['device.platform']],
  ['a token for a browser', { platform: 'Web' }, ['device.push_token', 'device.subscription']],
  ['no token', { push_token: 'null' }, ['device.push_token']],
  ['an unknown type of token', { push_token_type: 'apns' }, ['device.push_token_type']],
  ['an unknown name', { colour: 'red' }, ['device.colour']],
  ['an empty user id', { user_id: '' }, ['device.user_id']],
  ['an environment that is not clear', { development: 'yes' }, ['device.development']],
  ['one of these and others', { user_id: 7, locale: 'Deutsch' }, ['device.user_id', 'device.locale']],
])('a registration with %s is refused, and stores nothing', async (_what, device, paths) => {
  const push_token = newToken();
  const { status, reply } = await register({ push_token, ...device });
  expect(status).toBe(422);
  expect(reply.details.map(({ path }: { path: string }) => path).sort()).toEqual(paths.sort());
  const rows = await api.db.selectFrom('devices').select('id').where('push_token', '=', push_token).execute();
  expect(rows).toEqual([]);
});

test('a registration by a back end is read in the same way; its update is strict', async () => {
  const sent = { push_token: newToken(), locale: 'Deutsch' };
  const { status, reply } = await register(sent, api.app.keys.every);
  expect([status, reply.ignored.length]).toEqual([201, 1]);
  const body = { device: { locale: 'Deutsch', time_zone: 'GMT+3', badge: '3' } };
  const put = await api.call(`PUT /v6/devices/${reply.device.id}`, { body });
  expect(put.status).toBe(422);
});

test('an import names what it has left out by line', async () => {
  const tokens = [newToken(), newToken(), newToken()];
  const lines = [
    { platform: 'iOS', push_token: tokens[0], locale: 'Deutsch', custom: { a: { type: 'float', value: 1 } } },
    { platform: 'iOS', push_token: tokens[1], custom: { a: { type: 'integer', value: 'x' } }, badge: -1 },
    { platform: 'iOS', push_token: tokens[2], user_id: '' },
  ];
  const reply = await api.call('POST /v6/devices/import', {
    raw: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(reply.body).toMatchObject({
    imported: 2,
    rejected_count: 1,
    rejected: [{ line: 3, error: 'user_id must be text of 1 to 255 characters' }],
    ignored_count: 3,
    ignored: [
      { line: 1, path: 'locale' },
      { line: 2, path: 'badge', message: 'must not be negative' },
      { line: 2, path: 'custom.a.value' },
    ],
  });
});
