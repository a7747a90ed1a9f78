/**
 * Ways to the pushes of a user without a forged token: what an attacker with the key of the app, a phone and an account of
 * their own sends, and what the server answers. Afterwards no push to the user reaches the attacker.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApi } from '../http/api.ts';
import { type DemandingApp, demandingApp, newPushToken, newUser } from './demanding-app.ts';
import { refusedAs, type Scene, sceneIn } from './scene.ts';
import { newKeys, publicPem } from './user-tokens.ts';

const clock = { now: new Date('2026-11-21T12:00:00.000Z') };
const api = useApi(() => clock.now);
let app: DemandingApp;
let other: DemandingApp;

beforeAll(async () => {
  app = await demandingApp(api, api.app, clock);
  other = await demandingApp(api, api.otherApp, clock);
});

const strangers = newKeys.ES256();

type Attack = (scene: Scene) => Promise<{ status: number; body: unknown }>;

/** Calls that try to get at the pushes of a user without a forged token; `zoes`: whether Zoe's phone still gets them. */
const detours: readonly [what: string, attack: Attack, reply: object, zoes?: 'moved'][] = [
  [
    'the user’s address alone',
    async ({ email, ownPushToken, ownToken }) =>
      app.call('POST /v6/devices', {
        device: { platform: 'iOS', push_token: ownPushToken, user_email: email, user_token: ownToken },
      }),
    refusedAs('other_email'),
  ],
  [
    'the user’s address next to the own id',
    async ({ email, ownPushToken, ownToken }) =>
      app.call('POST /v6/devices', {
        device: {
          platform: 'iOS',
          push_token: ownPushToken,
          user_id: 'mallory',
          user_email: email,
          user_token: ownToken,
        },
      }),
    refusedAs('other_email'),
  ],
  [
    'a token as a query parameter',
    async ({ zoe, ownPushToken }) =>
      app.call(`POST /v6/devices?user_token=${app.token(zoe)}`, {
        device: { platform: 'iOS', push_token: ownPushToken, user_id: zoe },
      }),
    { status: 422 },
  ],
  [
    'a token as a header',
    async ({ zoe, ownPushToken }) =>
      api.call('POST /v6/devices', {
        key: app.app.keys.register,
        headers: { 'user-token': app.token(zoe) },
        body: { device: { platform: 'iOS', push_token: ownPushToken, user_id: zoe } },
      }),
    refusedAs('missing'),
  ],
  [
    'a token at the top of the body',
    async ({ zoe, ownPushToken }) =>
      app.call('POST /v6/devices', {
        user_token: app.token(zoe),
        device: { platform: 'iOS', push_token: ownPushToken, user_id: zoe },
      }),
    { status: 422 },
  ],
  [
    'a token of another type',
    async ({ zoe, ownPushToken }) =>
      app.call('POST /v6/devices', {
        device: {
          platform: 'iOS',
          push_token: ownPushToken,
          user_id: zoe,
          user_token: { token: app.token(zoe) },
        },
      }),
    { status: 422 },
  ],
  [
    'user_id twice in the body',
    async ({ zoe, ownPushToken, ownToken }) =>
      api.call('POST /v6/devices', {
        key: app.app.keys.register,
        raw: `{"device":{"platform":"iOS","push_token":"${ownPushToken}","user_id":"mallory","user_id":"${zoe}","user_token":"${ownToken}"}}`,
      }),
    { status: 400 },
  ],
  [
    'an update of the own device',
    async ({ zoe }) => {
      const own = await app.phoneOf(newUser());
      return app.call(`PUT /v6/devices/${own.id}`, { device: { user_id: zoe } });
    },
    refusedAs('missing'),
  ],
  [
    'an update of the own device with the own token',
    async ({ zoe, ownToken }) => {
      const own = await app.phoneOf('mallory');
      return app.call(`PUT /v6/devices/${own.id}`, { device: { user_id: zoe, user_token: ownToken } });
    },
    refusedAs('other_user'),
  ],
  [
    'an update to the address of the user',
    async ({ email }) => {
      const own = await app.phoneOf('mallory');
      return app.call(`PUT /v6/devices/${own.id}`, {
        device: { user_email: email, user_token: app.token('mallory') },
      });
    },
    refusedAs('other_email'),
  ],
  [
    'a registration under the id of the user’s device',
    async ({ phone, ownPushToken }) =>
      app.call('POST /v6/devices', { device: { platform: 'iOS', push_token: ownPushToken, id: phone.id } }),
    { status: 200 },
    'moved',
  ],
  [
    'a registration under the id of the user’s device that names the user',
    async ({ phone, zoe, ownPushToken }) =>
      app.call('POST /v6/devices', {
        device: { platform: 'iOS', push_token: ownPushToken, id: phone.id, user_id: zoe },
      }),
    refusedAs('missing'),
  ],
  [
    'a registration that presents the user’s push token as the previous one',
    async ({ phone, ownPushToken }) =>
      app.call('POST /v6/devices', {
        device: { platform: 'iOS', push_token: ownPushToken, previous_push_token: phone.pushToken },
      }),
    { status: 200 },
    'moved',
  ],
  [
    'a registration that presents the user’s push token and signs in as another',
    async ({ phone, ownPushToken, ownToken }) =>
      app.call('POST /v6/devices', {
        device: {
          platform: 'iOS',
          push_token: ownPushToken,
          previous_push_token: phone.pushToken,
          user_id: 'mallory',
          user_token: ownToken,
        },
      }),
    { status: 200 },
    'moved',
  ],
  [
    'an update that moves the own push token to the user’s device',
    async ({ phone, ownPushToken }) =>
      app.call(`PUT /v6/devices/${phone.id}`, { device: { push_token: ownPushToken } }),
    { status: 200 },
    'moved',
  ],
  [
    'an update that changes hands and keeps the address',
    async ({ phone, ownPushToken, ownToken }) =>
      app.call(`PUT /v6/devices/${phone.id}`, { device: { push_token: ownPushToken, user_token: ownToken } }),
    { status: 200 },
    'moved',
  ],
  [
    'an update of the user’s device to another user',
    async ({ phone, ownToken }) =>
      app.call(`PUT /v6/devices/${phone.id}`, { device: { user_id: 'mallory', user_token: ownToken } }),
    { status: 200 },
    'moved',
  ],
  [
    'a Live Activity of the user’s device',
    async ({ phone, ownPushToken }) =>
      app.call(`PUT /v6/devices/${phone.id}/tokens/live_activity/order-1`, { push_token: ownPushToken }),
    refusedAs('missing', 'user_token'),
  ],
  [
    'a Live Activity of the user’s device with the own token',
    async ({ phone, ownPushToken, ownToken }) =>
      app.call(`PUT /v6/devices/${phone.id}/tokens/live_activity/order-1`, {
        push_token: ownPushToken,
        user_token: ownToken,
      }),
    refusedAs('other_user', 'user_token'),
  ],
  [
    'events of the user',
    async ({ zoe }) => app.call(`POST /v6/users/${zoe}/events`, { events: [{ name: 'bought' }] }),
    refusedAs('missing', 'user_token'),
  ],
  [
    'events of the user with the own token',
    async ({ zoe, ownToken }) =>
      app.call(`POST /v6/users/${zoe}/events`, { events: [{ name: 'bought' }], user_token: ownToken }),
    refusedAs('other_user', 'user_token'),
  ],
  [
    'attributes of the user',
    async ({ zoe }) => app.call(`PUT /v6/users/${zoe}`, { user: { custom: {} } }),
    { status: 403 },
  ],
  [
    'a line of an import',
    async ({ zoe, ownPushToken }) =>
      api.call('POST /v6/devices/import', {
        key: app.app.keys.register,
        headers: { 'content-type': 'application/x-ndjson' },
        raw: JSON.stringify({ platform: 'iOS', push_token: ownPushToken, user_id: zoe }),
      }),
    { status: 403 },
  ],
  [
    'switching the demand off',
    async () => app.call('PUT /v6/app/identity', { identity: { mode: 'off' } }),
    { status: 403 },
  ],
  [
    'storing a key',
    async () =>
      app.call('POST /v6/app/identity/keys', {
        identity_key: { key_id: 'evil', algorithm: 'ES256', key: publicPem(strangers.publicKey) },
      }),
    { status: 403 },
  ],
  [
    'a token of this app at another one',
    async ({ zoe, ownPushToken }) =>
      other.call('POST /v6/devices', {
        device: { platform: 'iOS', push_token: ownPushToken, user_id: zoe, user_token: app.token(zoe) },
      }),
    refusedAs('signature'),
  ],
];

test.each(detours)('no push to a user reaches the attacker by %s', async (_what, attack, reply, zoes) => {
  const here = await sceneIn(app);
  expect(await attack(here)).toMatchObject(reply);
  const { zoe, email, phone } = here;
  expect(await app.reached(zoe, email)).toEqual(zoes === 'moved' ? [] : [phone.pushToken]);
  expect(await other.reached(zoe, email)).toEqual([]);
  expect((await api.call(`GET /v6/devices/${phone.id}/tokens`)).body).toEqual({ tokens: [] });
  expect(await api.call(`GET /v6/devices/${phone.id}`)).toMatchObject({ body: { device: { events: {} } } });
});

test('a Live Activity of a phone ends with its user', async () => {
  const { zoe, phone } = await sceneIn(app);
  const address = `PUT /v6/devices/${phone.id}/tokens/live_activity/order-1`;
  const body = { push_token: newPushToken(), user_token: app.token(zoe) };
  expect((await app.call(address, body)).status).toBe(204);
  const device = { user_id: 'bob', user_token: app.token('bob') };
  expect((await app.call(`PUT /v6/devices/${phone.id}`, { device })).status).toBe(200);
  expect((await api.call(`GET /v6/devices/${phone.id}/tokens`)).body).toEqual({ tokens: [] });
});
