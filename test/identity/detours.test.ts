/**
 * Ways to the pushes of a user without a forged token: what an attacker with the key of the app, a phone and an account of
 * their own sends, and what the server answers. Afterwards no push to the user reaches the attacker.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApi } from '../http/api.ts';
import { type DemandingApp, demandingApp, newUser, refusedAs, type Scene, sceneIn } from './demanding-app.ts';
import { newKeys, publicPem } from './user-tokens.ts';
import { newToken } from '../support/push-token.ts';

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

/** With the key that is embedded in the app, for what its client would not send. */
const sendRaw = async (address: string, sent: { raw: string } | { body: unknown }, headers = {}) =>
  api.call(address, { key: app.app.keys.register, headers, ...sent });
const update = async (id: string, device: object) => app.call(`PUT /v6/devices/${id}`, { device });
const activityOf = (id: string): string => `PUT /v6/devices/${id}/tokens/live_activity/order-1`;
const eventsOf = (user: string): string => `POST /v6/users/${user}/events`;
const events = [{ name: 'bought' }];
const refused = { status: 422 };
const forbidden = { status: 403 };
const done = { status: 200 };

/** Calls that try to get at the pushes of a user without a forged token; `zoes`: whether Zoe's phone still gets them. */
const detours: readonly [what: string, attack: Attack, reply: object, zoes?: 'moved'][] = [
  [
    'the user’s address alone',
    async ({ email, ownToken, register }) => register({ user_email: email, user_token: ownToken }),
    refusedAs('other_email'),
  ],
  [
    'the user’s address next to the own id',
    async ({ email, ownToken, register }) =>
      register({ user_id: 'mallory', user_email: email, user_token: ownToken }),
    refusedAs('other_email'),
  ],
  [
    'a token as a query parameter',
    async ({ zoe, ownPushToken }) =>
      app.call(`POST /v6/devices?user_token=${app.token(zoe)}`, {
        device: { platform: 'iOS', push_token: ownPushToken, user_id: zoe },
      }),
    refused,
  ],
  [
    'a token as a header',
    async ({ zoe, ownPushToken }) => {
      const device = { platform: 'iOS', push_token: ownPushToken, user_id: zoe };
      return sendRaw('POST /v6/devices', { body: { device } }, { 'user-token': app.token(zoe) });
    },
    refusedAs('missing'),
  ],
  [
    'a token at the top of the body',
    async ({ zoe, ownPushToken }) => {
      const device = { platform: 'iOS', push_token: ownPushToken, user_id: zoe };
      return app.call('POST /v6/devices', { user_token: app.token(zoe), device });
    },
    refused,
  ],
  [
    'a token of another type',
    async ({ zoe, register }) => register({ user_id: zoe, user_token: { token: app.token(zoe) } }),
    refused,
  ],
  [
    'user_id twice in the body',
    async ({ zoe, ownPushToken, ownToken }) =>
      sendRaw('POST /v6/devices', {
        raw: `{"device":{"platform":"iOS","push_token":"${ownPushToken}","user_id":"mallory","user_id":"${zoe}","user_token":"${ownToken}"}}`,
      }),
    { status: 400 },
  ],
  [
    'an update of the own device',
    async ({ zoe }) => update((await app.phoneOf(newUser())).id, { user_id: zoe }),
    refusedAs('missing'),
  ],
  [
    'an update of the own device with the own token',
    async ({ zoe, ownToken }) =>
      update((await app.phoneOf('mallory')).id, { user_id: zoe, user_token: ownToken }),
    refusedAs('other_user'),
  ],
  [
    'an update to the address of the user',
    async ({ email, ownToken }) =>
      update((await app.phoneOf('mallory')).id, { user_email: email, user_token: ownToken }),
    refusedAs('other_email'),
  ],
  [
    'a registration under the id of the user’s device',
    async ({ phone, register }) => register({ id: phone.id }),
    done,
    'moved',
  ],
  [
    'a registration under the id of the user’s device that names the user',
    async ({ phone, zoe, register }) => register({ id: phone.id, user_id: zoe }),
    refusedAs('missing'),
  ],
  [
    'a registration that presents the user’s push token as the previous one',
    async ({ phone, register }) => register({ previous_push_token: phone.pushToken }),
    done,
    'moved',
  ],
  [
    'a registration that presents the user’s push token and signs in as another',
    async ({ phone, ownToken, register }) =>
      register({ previous_push_token: phone.pushToken, user_id: 'mallory', user_token: ownToken }),
    done,
    'moved',
  ],
  [
    'an update that moves the own push token to the user’s device',
    async ({ phone, ownPushToken }) => update(phone.id, { push_token: ownPushToken }),
    done,
    'moved',
  ],
  [
    'an update that changes hands and keeps the address',
    async ({ phone, ownPushToken, ownToken }) =>
      update(phone.id, { push_token: ownPushToken, user_token: ownToken }),
    done,
    'moved',
  ],
  [
    'an update of the user’s device to another user',
    async ({ phone, ownToken }) => update(phone.id, { user_id: 'mallory', user_token: ownToken }),
    done,
    'moved',
  ],
  [
    'a Live Activity of the user’s device',
    async ({ phone, ownPushToken }) => app.call(activityOf(phone.id), { push_token: ownPushToken }),
    refusedAs('missing', 'user_token'),
  ],
  [
    'a Live Activity of the user’s device with the own token',
    async ({ phone, ownPushToken, ownToken }) =>
      app.call(activityOf(phone.id), { push_token: ownPushToken, user_token: ownToken }),
    refusedAs('other_user', 'user_token'),
  ],
  [
    'events of the user',
    async ({ zoe }) => app.call(eventsOf(zoe), { events }),
    refusedAs('missing', 'user_token'),
  ],
  [
    'events of the user with the own token',
    async ({ zoe, ownToken }) => app.call(eventsOf(zoe), { events, user_token: ownToken }),
    refusedAs('other_user', 'user_token'),
  ],
  [
    'attributes of the user',
    async ({ zoe }) => app.call(`PUT /v6/users/${zoe}`, { user: { custom: {} } }),
    forbidden,
  ],
  [
    'a line of an import',
    async ({ zoe, ownPushToken }) => {
      const raw = JSON.stringify({ platform: 'iOS', push_token: ownPushToken, user_id: zoe });
      return sendRaw('POST /v6/devices/import', { raw }, { 'content-type': 'application/x-ndjson' });
    },
    forbidden,
  ],
  [
    'switching the demand off',
    async () => app.call('PUT /v6/app/identity', { identity: { mode: 'off' } }),
    forbidden,
  ],
  [
    'storing a key',
    async () => {
      const key = { key_id: 'evil', algorithm: 'ES256', key: publicPem(strangers.publicKey) };
      return app.call('POST /v6/app/identity/keys', { identity_key: key });
    },
    forbidden,
  ],
  [
    'a token of this app at another one',
    async ({ zoe, ownPushToken: push_token }) => {
      const device = { platform: 'iOS', push_token, user_id: zoe, user_token: app.token(zoe) };
      return other.call('POST /v6/devices', { device });
    },
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
  const body = { push_token: newToken(), user_token: app.token(zoe) };
  expect((await app.call(activityOf(phone.id), body)).status).toBe(204);
  expect((await update(phone.id, { user_id: 'bob', user_token: app.token('bob') })).status).toBe(200);
  expect((await api.call(`GET /v6/devices/${phone.id}/tokens`)).body).toEqual({ tokens: [] });
});
