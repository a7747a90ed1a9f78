/** Whether an app demands proof of its users: off, report and required; the keys; whom a server vouches for. */
import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { readCheckingKeys, resealIdentityKeys } from '../../src/apps/identity/key-store.ts';
import { identityReply } from '../../src/apps/identity/mode.ts';
import { removeUnverifiedUsersJob } from '../../src/devices/proof/unverified-users.ts';
import { auditListReply } from '../../src/audit/list.ts';
import { useApi } from '../http/api.ts';
import { newToken } from '../support/push-token.ts';
import { testSecret } from '../support/secret.ts';
import { type DemandingApp, demandingApp, newUser } from './demanding-app.ts';
import { newKeys, newSecret, publicPem } from './user-tokens.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';

const clock = { now: new Date('2026-11-21T12:00:00.000Z') };
const api = useApi(() => clock.now);
let app: DemandingApp;

beforeAll(async () => {
  app = await demandingApp(api, api.app, clock, 'off');
});

beforeEach(async () => {
  await app.setMode('off');
});

const withId = z.object({ device: z.looseObject({ id: z.string() }) });

/** Registers a phone with the key in the app, or a server's. @returns its id */
async function register(device: object, key = api.app.keys.register): Promise<string> {
  const reply = await api.call('POST /v6/devices', { key, body: { device: { platform: 'iOS', ...device } } });
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return withId.parse(reply.body).device.id;
}

/** Has the worker remove the users that nobody vouched for. */
async function removeUnverified(): Promise<void> {
  clock.now = new Date(clock.now.getTime() + 60_000);
  await removeUnverifiedUsersJob(api.db, () => clock.now).run(new AbortController().signal);
}

function checked(): [string, string][] {
  return api.observations.flatMap((seen) =>
    seen.kind === 'user_checked' ? [[seen.mode, seen.result] as [string, string]] : [],
  );
}

test('an app that demands nothing takes any user, and looks at no token', async () => {
  const zoe = newUser();
  const before = checked().length;
  const push_token = newToken();
  await register({ push_token, user_id: zoe, user_token: 'no token at all' });
  expect(await app.reached(zoe)).toEqual([push_token]);
  expect(checked()).toHaveLength(before);
});

test('an app that only reports takes any user, and counts who would be refused, by reason', async () => {
  await app.setMode('report');
  const before = checked().length;
  const zoe = newUser();
  const named = { user_id: zoe };
  const push_token = newToken();
  const id = await register({ push_token, ...named });
  await register({ push_token, ...named, user_token: app.token('bob') });
  await register({ push_token, ...named, user_token: app.token(zoe) });
  await app.call(`POST /v6/users/${zoe}/events`, { events: [{ name: 'bought' }] });
  await app.call(`PUT /v6/devices/${id}/tokens/widgets/all`, { push_token: newToken() });
  // Neither names a user.
  await register({ push_token });
  await app.call(`PUT /v6/devices/${id}`, { device: { badge: 1 } });
  const results = checked().slice(before);
  expect(results.map(([, result]) => result)).toEqual([
    'missing',
    'other_user',
    'verified',
    'missing',
    'missing',
  ]);
  expect(results.every(([mode]) => mode === 'report')).toBe(true);
  expect(await app.reached(zoe)).toEqual([push_token]);
});

test('a switch takes the user from the phones whose user nobody vouched for, and from no others', async () => {
  await app.setMode('report');
  const [proven, claimed, byServer, imported, importedAgain] = Array.from({ length: 5 }, newUser);
  await app.phoneOf(proven ?? '');
  await register({ push_token: newToken(), user_id: claimed });
  await register({ push_token: newToken(), user_id: byServer }, api.app.keys.every);
  const push_token = newToken();
  await register({ push_token, user_id: importedAgain });
  const lines = [
    { platform: 'iOS', push_token: newToken(), user_id: imported },
    { platform: 'iOS', push_token, user_id: importedAgain },
  ];
  const { body } = await api.call('POST /v6/devices/import', {
    headers: { 'content-type': 'application/x-ndjson' },
    raw: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  expect(body).toMatchObject({ imported: 1, updated: 1 });
  await app.setMode('required');
  await removeUnverified();
  const left = await Promise.all(
    [proven, claimed, byServer, imported, importedAgain].map(async (user) => app.reached(user ?? '')),
  );
  expect(left.map(({ length }) => length)).toEqual([1, 0, 1, 1, 1]);
  const { identity } = identityReply.parse((await api.call('GET /v6/app/identity')).body);
  expect(identity.mode).toBe('required');
  expect(identity.devices.with_user).toBeGreaterThan(3);
  expect(identity.devices.verified).toBe(identity.devices.with_user);
});

test('an import changes the user of a phone, and importing it again changes nothing', async () => {
  const [zoe, bob] = [newUser(), newUser()];
  const { pushToken: push_token } = await app.phoneOf(zoe);
  const importAs = async (user_id: string) =>
    api.call('POST /v6/devices/import', {
      headers: { 'content-type': 'application/x-ndjson' },
      raw: JSON.stringify({ platform: 'iOS', push_token, user_id }),
    });
  expect((await importAs(bob)).body).toMatchObject({ updated: 1 });
  expect((await importAs(bob)).body).toMatchObject({ unchanged: 1 });
  await app.setMode('required');
  await removeUnverified();
  expect([await app.reached(zoe), await app.reached(bob)]).toEqual([[], [push_token]]);
});

test('a proof ends when another phone takes over the device before the switch', async () => {
  const takeOvers: ((id: string, pushToken: string) => Promise<unknown>)[] = [
    async (id) => register({ push_token: newToken(), id }),
    async (_id, pushToken) => register({ push_token: newToken(), previous_push_token: pushToken }),
    async (id) => app.call(`PUT /v6/devices/${id}`, { device: { push_token: newToken() } }),
  ];
  await app.setMode('report');
  const users = await Promise.all(
    takeOvers.map(async (takeOver) => {
      const zoe = newUser();
      const { id, pushToken } = await app.phoneOf(zoe);
      await takeOver(id, pushToken);
      expect(await app.reached(zoe)).toHaveLength(1);
      return zoe;
    }),
  );
  await app.setMode('required');
  await removeUnverified();
  for (const zoe of users) expect(await app.reached(zoe)).toEqual([]);
});

test('a phone loses its user when it signs out, registers without one, or changes hands', async () => {
  await app.setMode('required');
  const ways: ((id: string, push_token: string) => Promise<unknown>)[] = [
    async (_id, push_token) => register({ push_token }),
    async (_id, push_token) => register({ push_token, user_id: null, user_token: app.token('bob') }),
    async (id) => app.call(`PUT /v6/devices/${id}`, { device: { user_id: null } }),
    async (_id, push_token) => register({ push_token, user_id: 'bob', user_token: app.token('bob') }),
    async (id) => app.call(`PUT /v6/devices/${id}`, { device: { user_token: app.token('bob') } }),
  ];
  for (const way of ways) {
    const zoe = newUser();
    const phone = await app.phoneOf(zoe, `${zoe}@example.com`);
    await way(phone.id, phone.pushToken);
    expect(await app.reached(zoe, `${zoe}@example.com`)).toEqual([]);
  }
});

test('a phone keeps its user through updates of other things, and repeats a registration without a write', async () => {
  await app.setMode('required');
  const zoe = newUser();
  const { id, pushToken: push_token } = await app.phoneOf(zoe);
  expect((await app.call(`PUT /v6/devices/${id}`, { device: { badge: 4, tags: ['news'] } })).status).toBe(
    200,
  );
  const version = async () =>
    (await api.db.selectFrom('devices').select('registered_at').where('id', '=', id).executeTakeFirst())
      ?.registered_at;
  const before = await version();
  clock.now = new Date(clock.now.getTime() + 60_000);
  await register({ push_token, user_id: zoe, user_token: app.token(zoe) });
  expect(await version()).toEqual(before);
  expect(await app.reached(zoe)).toEqual([push_token]);
});

test('a server needs no token for the users that it names', async () => {
  await app.setMode('required');
  const zoe = newUser();
  const push_token = newToken();
  const id = await register({ push_token, user_id: zoe }, api.app.keys.every);
  const events = { events: [{ name: 'bought' }] };
  expect((await api.call(`POST /v6/users/${zoe}/events`, { body: events })).status).toBe(202);
  const token = { push_token: newToken() };
  expect((await api.call(`PUT /v6/devices/${id}/tokens/widgets/all`, { body: token })).status).toBe(204);
  const { status } = await app.call(`POST /v6/users/${zoe}/events`, {
    ...events,
    user_token: app.token(zoe),
  });
  expect(status).toBe(202);
});

test('a demand without any key is refused', async () => {
  const body = { identity: { mode: 'required' } };
  const { id } = api.otherApp;
  expect(await api.call('PUT /v6/app/identity', { key: api.otherApp.keys.every, body })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'identity.mode' }] },
  });
  expect(await api.db.selectFrom('apps').select('identity_mode').where('id', '=', id).execute()).toEqual([
    { identity_mode: 'off' },
  ]);
});

const store = async (key: object, key_id = 'new') =>
  api.call('POST /v6/app/identity/keys', { body: { identity_key: { key_id, ...key } } });

const nameOf = ({ keyId, algorithm }: { keyId: string; algorithm: string }): string =>
  `${keyId} ${algorithm}`;

test('a key is taken as PEM or JWK, replaced, listed without the key, removed, and recorded', async () => {
  const { publicKey } = newKeys.EdDSA();
  const jwk = JSON.stringify(newKeys.ES256().publicKey.export({ format: 'jwk' }));
  expect((await store({ algorithm: 'EdDSA', key: publicPem(publicKey) })).status).toBe(204);
  expect((await store({ algorithm: 'ES256', key: jwk })).status).toBe(204);
  const read = await api.call('GET /v6/app/identity');
  expect(read.body).toMatchObject({
    identity: {
      keys: expect.arrayContaining([expect.objectContaining({ key_id: 'new', algorithm: 'ES256' })]),
    },
  });
  expect(JSON.stringify(read.body)).not.toContain('"x"');
  expect((await api.call('DELETE /v6/app/identity/keys/new')).status).toBe(204);
  expect((await api.call('DELETE /v6/app/identity/keys/new')).status).toBe(404);
  const { body } = await api.call('GET /v6/audit?per=3');
  const entries = auditListReply
    .parse(body)
    .entries.map((entry) => [entry.action, entry.before, entry.after]);
  expect(entries.map((entry) => JSON.stringify(entry)).toSorted()).toEqual([
    '["identity_key.removed",{"algorithm":"ES256"},null]',
    '["identity_key.stored",null,{"algorithm":"ES256"}]',
    '["identity_key.stored",null,{"algorithm":"EdDSA"}]',
  ]);
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const es = newKeys.ES256();
test.each<[what: string, key: object]>([
  ['an RSA key', { algorithm: 'ES256', key: publicPem(rsa.publicKey) }],
  ['a key of another curve', { algorithm: 'ES256', key: publicPem(p384.publicKey) }],
  ['a key of another algorithm', { algorithm: 'EdDSA', key: publicPem(es.publicKey) }],
  ['a private key', { algorithm: 'ES256', key: es.privateKey.export({ type: 'pkcs8', format: 'pem' }) }],
  ['a private JWK', { algorithm: 'ES256', key: JSON.stringify(es.privateKey.export({ format: 'jwk' })) }],
  ['a public key as a secret', { algorithm: 'HS256', key: publicPem(es.publicKey) }],
  ['a short secret', { algorithm: 'HS256', key: newSecret(31).toString('base64') }],
  ['a password', { algorithm: 'HS256', key: 'correct horse battery staple, and so on' }],
  ['an empty key', { algorithm: 'HS256', key: '' }],
  ['an unknown algorithm', { algorithm: 'none', key: '' }],
])('%s is refused as a key, and the answer says nothing of it', async (_what, key) => {
  const { status, body } = await store(key);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).not.toMatch(/horse|MFkw|MHY|MII|"d"/);
});

test('a key has an id that can be written in an address, and an app has ten keys at most', async () => {
  const secret = { algorithm: 'HS256', key: newSecret().toString('base64') };
  for (const keyId of ['', 'a b', '../x', 'x'.repeat(65)]) {
    expect((await store(secret, keyId)).status).toBe(422);
  }
  const statuses: number[] = [];
  for (let number = 1; number <= 8; number++) statuses.push((await store(secret, `more-${number}`)).status);
  expect(statuses).toEqual([204, 204, 204, 204, 204, 204, 204, 422]);
  expect((await store(secret, 'more-1')).status).toBe(204);
});

test('keys are sealed, and sealed again when SECRET_KEY is replaced', async () => {
  const rows = await api.db.selectFrom('identity_keys').select('sealed').execute();
  for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toContain('PUBLIC KEY');
  const next = { ...parseSecretKey(newSecret().toString('hex')), previous: testSecret.current };
  const before = await readCheckingKeys(api.db, testSecret, api.app.id);
  await api.db.transaction().execute(async (transaction) => {
    expect(await resealIdentityKeys(transaction, next)).toBe(rows.length);
    const after = await readCheckingKeys(transaction, { current: next.current }, api.app.id);
    expect(after.map(nameOf).toSorted()).toEqual(before.map(nameOf).toSorted());
    await resealIdentityKeys(transaction, { current: testSecret.current, previous: next.current });
  });
});
