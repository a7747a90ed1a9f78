/** The second factor of users with a password, tried as a thief of the password or of a session would. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createInvite } from '../../src/console/accounts/invites.ts';
import { resealSecondFactors } from '../../src/console/accounts/second-factor.ts';
import { setRole } from '../../src/console/accounts/users.ts';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { type Reply, useApi } from '../http/api.ts';
import { insertApp } from '../support/database.ts';
import { testSecret } from '../support/secret.ts';
import { anotherServer, type Browser, codeAt, insertUser, openBrowser, PASSWORD } from './browser.ts';

let nowMs = Date.UTC(2026, 10, 28, 12);
const clock = (): Date => new Date(nowMs);
const api = useApi(clock);
let name: string;
let userId: string;
let browser: Browser;

beforeEach(async () => {
  name = `Ann ${randomUUID()}`;
  userId = await insertUser(api.db, clock, { name, roles: { [api.app.id]: 'admin' } });
  browser = openBrowser(api.server);
  expect((await browser.signIn(name)).status).toBe(204);
  // Codes of another minute: each counts once.
  nowMs += 90_000;
});

/** What an authenticator app shows. */
const codeOf = (secret: string, atMs = nowMs): string => codeAt(secret, new Date(atMs));

const FACTOR = '/console/second-factor';
const enrolledReply = z.strictObject({ secret: z.string(), address: z.string() });
const codesReply = z.strictObject({ recovery_codes: z.array(z.string()) });

/** @returns the secret and the recovery codes */
async function enrol(from = browser): Promise<{ secret: string; codes: string[] }> {
  const begun = await from.call(`POST ${FACTOR}`, { body: { password: PASSWORD } });
  const { secret } = enrolledReply.parse(begun.body);
  const confirmed = await from.call(`PUT ${FACTOR}`, { body: { code: codeOf(secret) } });
  expect(confirmed.status).toBe(200);
  const { recovery_codes: codes } = codesReply.parse(confirmed.body);
  nowMs += 30_000;
  return { secret, codes };
}

async function signIn(code?: string, from = openBrowser(api.server)): Promise<Reply> {
  const body = { name, password: PASSWORD, ...(code !== undefined && { code }) };
  return from.call('POST /console/session', { body });
}

function statusesOf(replies: readonly Reply[]): number[] {
  return replies.map(({ status }) => status).toSorted((left, right) => left - right);
}

async function actions(): Promise<string[]> {
  const rows = await api.db
    .selectFrom('audit_log')
    .select('action')
    .where('object_id', '=', userId)
    .orderBy('at')
    .execute();
  return rows.map(({ action }) => action);
}

describe('enrolling', () => {
  test('a second factor counts only once a code of it was entered', async () => {
    const { body } = await browser.call(`POST ${FACTOR}`, { body: { password: PASSWORD } });
    const { secret, address } = enrolledReply.parse(body);
    expect(new URL(address).searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(new URL(address).pathname)).toContain(name);
    expect((await signIn()).status).toBe(204);
    expect(await browser.call(`PUT ${FACTOR}`, { body: { code: '000000' } })).toMatchObject({ status: 422 });
    expect((await browser.call(`GET ${FACTOR}`)).body).toEqual({ second_factor: null });
  });

  test('a second factor is enrolled with the password, ends other sessions and is not shown again', async () => {
    const elsewhere = openBrowser(api.server);
    await signIn(undefined, elsewhere);
    const refused = await browser.call(`POST ${FACTOR}`, { body: { password: 'a wrong one' } });
    expect(refused).toMatchObject({ status: 422, body: { details: [{ path: 'password' }] } });
    const { codes } = await enrol();
    expect(new Set(codes).size).toBe(10);
    expect((await elsewhere.call('GET /console/session')).status).toBe(401);
    expect(await browser.call(`GET ${FACTOR}`)).toMatchObject({
      body: { second_factor: { recovery_codes_left: 10 } },
    });
    expect((await browser.call('GET /console/session')).body).toMatchObject({
      user: { second_factor: 'on' },
    });
    const again = await browser.call(`POST ${FACTOR}`, { body: { password: PASSWORD } });
    expect(again).toMatchObject({ status: 422, body: { error: expect.stringContaining('remove it first') } });
    expect(await actions()).toContain('console_user.second_factor_set');
  });
});

describe('a sign-in with a second factor', () => {
  test('a sign-in needs a code, and no code counts twice, even if two calls bring it at once', async () => {
    const { secret } = await enrol();
    const refused = await signIn();
    expect(refused).toMatchObject({ status: 422, body: { details: [{ path: 'code' }] } });
    expect(refused.headers['set-cookie']).toBeUndefined();
    const replies = await Promise.all(Array.from({ length: 4 }, async () => signIn(codeOf(secret))));
    expect(statusesOf(replies)).toEqual([204, 422, 422, 422]);
    expect((await signIn(codeOf(secret, nowMs - 30_000))).status).toBe(422);
    nowMs += 30_000;
    const spaced = codeOf(secret).replace(/^.../, '$& ');
    expect((await signIn(spaced)).status).toBe(204);
  });

  test('a sign-in with a wrong password is refused alike, whether there is a second factor or not', async () => {
    await enrol();
    const body = { name, password: 'a wrong one' };
    const reply = await openBrowser(api.server).call('POST /console/session', { body });
    expect(reply).toMatchObject({
      status: 401,
      body: { code: 'unauthorized', error: 'This name and this password do not match.' },
    });
  });

  test('a thief of the password guesses ten codes, and locks out no browser that is known', async () => {
    const { secret } = await enrol();
    const thief = openBrowser(api.server, 'localhost', '192.0.2.7');
    for (let guess = 0; guess < 10; guess++) expect((await signIn('123456', thief)).status).toBe(422);
    const elsewhere = openBrowser(api.server, 'localhost', '192.0.2.8');
    for (const from of [thief, elsewhere]) {
      expect(await signIn(codeOf(secret), from)).toMatchObject({ status: 429 });
    }
    expect((await signIn(codeOf(secret), browser)).status).toBe(204);
    nowMs += 600_000;
    expect((await signIn(codeOf(secret), elsewhere)).status).toBe(204);
  });

  test('a recovery code signs in once, however it is typed, and the audit log has it', async () => {
    const { codes } = await enrol();
    const [code = '', other = ''] = codes;
    expect((await signIn(code.toUpperCase().replaceAll('-', ' '))).status).toBe(204);
    expect((await signIn(code)).status).toBe(422);
    const replies = await Promise.all([signIn(other), signIn(other)]);
    expect(statusesOf(replies)).toEqual([204, 422]);
    expect(await browser.call(`GET ${FACTOR}`)).toMatchObject({
      body: { second_factor: { recovery_codes_left: 8 } },
    });
    expect(await actions()).toContain('console_user.recovery_code_used');
  });

  test('a link for a new password does not pass a second factor', async () => {
    const { secret } = await enrol();
    const { secret: token } = await createInvite(api.db, { userId, setsPassword: true }, clock);
    const link = { token, password: 'a new pass phrase' };
    const stranger = openBrowser(api.server);
    expect(await stranger.call('POST /console/session/invite', { body: link })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'code' }] },
    });
    const body = { ...link, code: codeOf(secret) };
    expect((await stranger.call('POST /console/session/invite', { body })).status).toBe(204);
  });
});

describe('removing a second factor', () => {
  test('a thief of a session and of the password cannot remove a second factor without a code', async () => {
    const { secret } = await enrol();
    for (const body of [
      { password: PASSWORD, code: '123456' },
      { password: 'wrong', code: codeOf(secret) },
    ]) {
      expect((await browser.call(`DELETE ${FACTOR}`, { body })).status).toBe(422);
    }
    expect((await signIn()).status).toBe(422);
    const body = { password: PASSWORD, code: codeOf(secret) };
    expect((await browser.call(`DELETE ${FACTOR}`, { body })).status).toBe(204);
    expect((await signIn()).status).toBe(204);
    expect(await actions()).toContain('console_user.second_factor_removed');
  });

  test('an admin of the app removes the second factor of a user, unless the user works elsewhere too', async () => {
    await enrol();
    const address = `DELETE /v6/console-users/${userId}/second-factor`;
    const other = await insertApp(api.db);
    await setRole(api.db, { user: { id: userId, name }, appId: other.id, role: 'viewer' }, clock);
    expect(await api.call(address)).toMatchObject({ status: 409, body: { code: 'user_elsewhere' } });
    await api.db.deleteFrom('console_roles').where('app_id', '=', other.id).execute();
    const listed = await api.call('GET /v6/console-users');
    expect(JSON.stringify(listed.body)).toContain('"second_factor":true');
    expect((await api.call(address)).status).toBe(204);
    expect((await api.call(address)).status).toBe(204);
    expect((await signIn()).status).toBe(204);
    expect(await actions()).toContain('console_user.second_factor_removed');
  });
});

test('a user without the second factor that the server requires can do nothing but enrol one', async () => {
  await using server = anotherServer(api, { clock, requiresSecondFactor: true });
  const strict = openBrowser(server);
  await strict.signIn(name);
  const list = async () => (await strict.call('GET /v6/notifications', { app: api.app.id })).status;
  expect((await strict.call('GET /console/session')).body).toMatchObject({
    user: { second_factor: 'required' },
    apps: [],
  });
  expect(await list()).toBe(403);
  await enrol(strict);
  expect((await strict.call('GET /console/session')).body).toMatchObject({
    user: { second_factor: 'on' },
    apps: [{ id: api.app.id }],
  });
  expect(await list()).toBe(200);
});

test('a second factor works after SECRET_KEY was replaced, and its secret is not in the database', async () => {
  const { secret } = await enrol();
  const { sealed_secret: sealed } = await api.db
    .selectFrom('console_second_factors')
    .select('sealed_secret')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  expect(sealed.toString('latin1')).not.toContain(secret);
  const next = { ...parseSecretKey('2'.repeat(64)), previous: testSecret.current };
  expect(await resealSecondFactors(api.db, next)).toBeGreaterThan(0);
  await using server = anotherServer(api, { clock, secret: { current: next.current } });
  expect((await signIn(codeOf(secret), openBrowser(server))).status).toBe(204);
  await resealSecondFactors(api.db, { current: testSecret.current, previous: next.current });
});
