/** Signing in and out, and the session as a caller of the API. */
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createInvite, INVITE_MS } from '../../src/console/accounts/invites.ts';
import { IDLE_MS, SESSION_MS } from '../../src/console/accounts/session-store.ts';
import { createUser, removeRole, removeUser, setRole } from '../../src/console/accounts/users.ts';
import { KNOWN_FOR_MS } from '../../src/apps/recent-look-ups.ts';
import { type Reply, useApi } from '../http/api.ts';
import { anotherServer, type Browser, insertUser, openBrowser, PASSWORD } from './browser.ts';

let nowMs = Date.now();
const clock = (): Date => new Date(nowMs);
const api = useApi(clock);
let name: string;
let userId: string;
let browser: Browser;
let users = 0;

beforeEach(async () => {
  name = `Ann ${users++}`;
  userId = await insertUser(api.db, clock, { name, roles: { [api.app.id]: 'sender' } });
  browser = openBrowser(api.server);
});

const LIST = 'GET /v6/notifications';
const listOf = async (from: Browser, app = api.app.id) => (await from.call(LIST, { app })).status;

const guessTenTimes = async (): Promise<void> => {
  const guesser = openBrowser(api.server);
  for (let time = 0; time < 10; time++) await guesser.signIn(name, 'wrong');
};

describe('Signing in with a password', () => {
  test('a sign-in gives the cookie of a session, with which the API can be called', async () => {
    const reply = await browser.signIn(name);
    expect(reply).toMatchObject({ status: 204, headers: { 'cache-control': 'no-store' } });
    const known =
      /^carillon-known=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/;
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^carillon=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(known),
    ]);
    expect(await browser.call('GET /console/session')).toMatchObject({
      status: 200,
      body: {
        user: { id: userId, name },
        apps: [{ id: api.app.id, bundle_id: api.app.bundleId, name: 'Test app', role: 'sender' }],
        expires_at: new Date(nowMs + SESSION_MS).toISOString(),
      },
    });
    const list = await browser.call(LIST, { app: api.app.id });
    expect(list).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    });
  });

  test('a sign-in works in any case of letters of the name', async () => {
    expect(await browser.signIn(name.toUpperCase())).toMatchObject({ status: 204 });
  });

  test('a sign-in fails alike for a wrong password, an unknown name and a user without a password', async () => {
    const invited = await createUser(api.db, { name: `invited ${name}` }, clock);
    const replies = [
      await browser.signIn(name, `${PASSWORD}!`),
      await browser.signIn(`nobody ${name}`),
      await browser.signIn(invited?.name ?? ''),
      await browser.signIn(' '),
    ];
    for (const { status, body, headers } of replies) {
      expect({ status, body }).toEqual({
        status: 401,
        body: { code: 'unauthorized', error: 'This name and this password do not match.' },
      });
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['www-authenticate']).toBe('Session realm="carillon"');
    }
  });

  test('each sign-in makes a session of its own, and ends the one that the browser had', async () => {
    await browser.signIn(name);
    const copy = openBrowser(api.server);
    copy.cookies.set('carillon', browser.cookies.get('carillon') ?? '');
    expect(await listOf(copy)).toBe(200);
    await browser.signIn(name);
    expect([await listOf(copy), await listOf(browser)]).toEqual([401, 200]);
  });

  test('each sign-in is reported with its user, address and result, and without a name or password', async () => {
    await browser.signIn(name, 'wrong');
    await browser.signIn(`nobody ${name}`);
    await browser.signIn(name);
    const attempt = { kind: 'sign_in', by: 'password', address: '127.0.0.1', requestId: expect.any(String) };
    expect(api.observations.filter(({ kind }) => kind === 'sign_in').slice(-3)).toEqual([
      { ...attempt, userId, result: 'unauthorized' },
      { ...attempt, userId: null, result: 'unauthorized' },
      { ...attempt, userId, result: 'signed_in' },
    ]);
  });

  test.each([
    [{}, ['name', 'password']],
    [{ name: 1, password: '' }, ['name', 'password']],
    [{ name: 'a', password: 'b', remember: true }, ['remember']],
  ])('a sign-in with the body %j is refused and says why', async (body, paths) => {
    const reply = await browser.call('POST /console/session', { body });
    expect(reply).toMatchObject({ status: 422, body: { details: paths.map((path) => ({ path })) } });
  });

  test('a sign-in is refused after ten wrong passwords for a name from an address, until some minutes later', async () => {
    for (let time = 0; time < 10; time++) expect((await browser.signIn(name, 'wrong')).status).toBe(401);
    const refused = await browser.signIn(name.toLowerCase());
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await browser.signIn(`nobody ${name}`)).status).toBe(401);
    expect((await openBrowser(api.server, 'localhost', '192.0.2.1').signIn(name)).status).toBe(204);
    nowMs += 600_000;
    expect((await browser.signIn(name)).status).toBe(204);
  });

  test('a browser that has signed its user in has ten attempts of its own, whatever others guess', async () => {
    expect((await browser.signIn(name)).status).toBe(204);
    const known = browser.cookies.get('carillon-known');
    await browser.call('DELETE /console/session');
    await guessTenTimes();
    expect((await openBrowser(api.server).signIn(name)).status).toBe(429);
    for (let time = 0; time < 9; time++) expect((await browser.signIn(name, 'wrong')).status).toBe(401);
    expect((await browser.signIn(name)).status).toBe(204);
    expect(browser.cookies.get('carillon-known')).toBe(known);
    expect((await browser.signIn(name, 'wrong')).status).toBe(401);
    expect((await browser.signIn(name)).status).toBe(429);
  });

  test('a browser with the cookie of another user, or a forged one, is a stranger’s', async () => {
    await insertUser(api.db, clock, { name: `other ${name}`, roles: {} });
    await browser.signIn(`other ${name}`);
    await guessTenTimes();
    expect((await browser.signIn(name)).status).toBe(429);
    browser.cookies.set('carillon-known', `${'a'.repeat(22)}.${'b'.repeat(43)}`);
    expect((await browser.signIn(name)).status).toBe(429);
  });

  test('a sign-in is refused even if many guesses arrive at once', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 30 }, async () => openBrowser(api.server).signIn(name, 'wrong')),
    );
    // Two are looked at at once, so one may be in progress when the tenth fails.
    expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(11);
    expect(guesses.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });
});

describe('The cookie', () => {
  test.each([
    ['a trusted proxy ends TLS', { 'x-forwarded-proto': 'https' }, 'loopback'],
    ['the page was loaded over TLS', { origin: 'https://push.example.com' }, undefined],
  ])('the cookie is __Host-carillon and Secure where %s', async (_where, headers, trustedProxies) => {
    await using server = anotherServer(api, { clock, trustedProxies });
    const tls = openBrowser(server, 'push.example.com');
    const body = { name, password: PASSWORD };
    const reply = await tls.call('POST /console/session', { body, headers });
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-carillon=[\w-]{43}; Secure; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(
        /^__Host-carillon-known=[\w.-]+; Secure; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
      ),
    ]);
    expect(await listOf(tls)).toBe(200);
  });

  test('the cookie is not given over plain HTTP to another machine', async () => {
    const far = openBrowser(api.server, '10.0.0.5:8080');
    expect(await far.signIn(name)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('https://') },
    });
    const sessions = api.db.selectFrom('console_sessions').selectAll().where('user_id', '=', userId);
    expect(await sessions.execute()).toEqual([]);
  });

  test('the cookie with the plain name is ignored on any other host', async () => {
    await browser.signIn(name);
    const other = openBrowser(api.server, 'push.example.com');
    other.cookies.set('carillon', browser.cookies.get('carillon') ?? '');
    expect((await other.call('GET /console/session')).status).toBe(401);
    expect(await listOf(other)).toBe(401);
  });

  test('the cookie holds a secret, of which only the hash is stored', async () => {
    await browser.signIn(name);
    const secret = browser.cookies.get('carillon') ?? '';
    const row = await api.db
      .selectFrom('console_sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row.hash).toHaveLength(32);
    expect(row.hash.toString('base64url')).not.toBe(secret);
  });
});

describe('A session ends', () => {
  beforeEach(async () => {
    await browser.signIn(name);
    expect(await listOf(browser)).toBe(200);
  });

  test('a session ends at once when its user signs out', async () => {
    expect((await browser.call('DELETE /console/session')).status).toBe(204);
    expect(browser.cookies.has('carillon')).toBe(false);
    expect(await listOf(browser)).toBe(401);
  });

  test('a copy of the cookie is worth nothing once its session has ended', async () => {
    const copy = openBrowser(api.server);
    copy.cookies.set('carillon', browser.cookies.get('carillon') ?? '');
    expect(await listOf(copy)).toBe(200);
    await browser.call('DELETE /console/session');
    expect(await listOf(copy)).toBe(401);
    expect((await copy.call('GET /console/session')).status).toBe(401);
  });

  test('a session ends within two seconds when it is revoked elsewhere', async () => {
    await api.db.deleteFrom('console_sessions').where('user_id', '=', userId).execute();
    nowMs += KNOWN_FOR_MS;
    expect(await browser.call(LIST, { app: api.app.id })).toMatchObject({
      status: 401,
      body: { error: 'The session has ended; sign in again.' },
      headers: { 'www-authenticate': 'Session realm="carillon"' },
    });
  });

  test('a session ends within two seconds when its user is removed', async () => {
    await removeUser(api.db, { id: userId, name }, clock);
    nowMs += KNOWN_FOR_MS;
    expect(await listOf(browser)).toBe(401);
  });

  test('a session ends after twelve hours without a call', async () => {
    nowMs += IDLE_MS;
    expect(await listOf(browser)).toBe(401);
  });

  test('a session ends after seven days, however much it is used', async () => {
    const startMs = nowMs;
    while (nowMs - startMs < SESSION_MS - IDLE_MS) {
      nowMs += IDLE_MS - 1_000;
      expect(await listOf(browser)).toBe(200);
      await expect
        .poll(async () => {
          const row = api.db.selectFrom('console_sessions').select('last_used_at');
          return (await row.where('user_id', '=', userId).executeTakeFirst())?.last_used_at.getTime();
        })
        .toBe(nowMs);
    }
    nowMs = startMs + SESSION_MS - 1;
    expect(await listOf(browser)).toBe(200);
    nowMs += 1;
    expect(await listOf(browser)).toBe(401);
  });
});

describe('A role', () => {
  beforeEach(async () => {
    await browser.signIn(name);
  });

  test('a role is for one app: calls for another app are refused', async () => {
    expect(await browser.call(LIST, { app: api.otherApp.id })).toMatchObject({
      status: 403,
      body: { error: 'You have no role in an app with this id.' },
    });
    for (const app of ['', 'x', '00000000-0000-4000-8000-000000000000', api.app.bundleId]) {
      expect(await listOf(browser, app)).toBe(403);
    }
  });

  test('a role counts within two seconds when it is given, changed or taken', async () => {
    const body = { audience: { name: `by ${name}`, filters: [{ name: 'locale', criteria: ['en_GB'] }] } };
    const create = async () => (await browser.call('POST /v6/audiences', { app: api.app.id, body })).status;
    expect(await create()).toBe(201);
    const user = { id: userId, name };
    await setRole(api.db, { user, appId: api.app.id, role: 'viewer' }, clock);
    await setRole(api.db, { user, appId: api.otherApp.id, role: 'viewer' }, clock);
    nowMs += KNOWN_FOR_MS;
    expect(await create()).toBe(403);
    expect(await listOf(browser)).toBe(200);
    expect(await listOf(browser, api.otherApp.id)).toBe(200);
    await removeRole(api.db, { user, appId: api.app.id }, clock);
    nowMs += KNOWN_FOR_MS;
    expect(await listOf(browser)).toBe(403);
  });

  test('a role counts for nothing without the header that names an app, or next to a key', async () => {
    expect((await browser.call(LIST)).body).toMatchObject({ code: 'unauthorized' });
    const authorization = 'Basic Og==';
    expect((await browser.call(LIST, { app: api.app.id, headers: { authorization } })).status).toBe(401);
  });
});

/** What the audit log of the app has about the user and by the user, the oldest first. */
async function ownEntries(): Promise<{ action: string; by_id: string; object_id: string | null }[]> {
  return api.db
    .selectFrom('audit_log')
    .select(['action', 'by_id', 'object_id'])
    .where('app_id', '=', api.app.id)
    .where('object_id', '=', userId)
    .orderBy('at')
    .execute();
}

async function linkFor(setsPassword: boolean): Promise<string> {
  return (await createInvite(api.db, { userId, setsPassword }, clock)).secret;
}

async function follow(body: object): Promise<Reply> {
  return browser.call('POST /console/session/invite', { body });
}

describe('A one-time link', () => {
  test('a one-time link lets its user choose a password, signs in, and works only once', async () => {
    const elsewhere = openBrowser(api.server);
    await elsewhere.signIn(name);
    const token = await linkFor(true);
    expect(await follow({ token })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'password', message: `is required: choose one for ${name}` }] },
    });
    expect((await follow({ token, password: 'too short' })).status).toBe(422);
    expect((await follow({ token, password: 'a longer password' })).status).toBe(204);
    expect(await listOf(browser)).toBe(200);
    expect(await follow({ token, password: 'another password' })).toMatchObject({ status: 404 });
    expect((await openBrowser(api.server).signIn(name)).status).toBe(401);
    expect((await openBrowser(api.server).signIn(name, 'a longer password')).status).toBe(204);
    const chosen = { action: 'console_user.password_set', by_id: userId, object_id: userId };
    expect(await ownEntries()).toEqual([chosen]);
    // Sessions with the old password have ended.
    nowMs += KNOWN_FOR_MS;
    expect((await elsewhere.call('GET /console/session')).status).toBe(401);
  });

  test('a one-time link of the demo signs in without a password and keeps the existing one', async () => {
    const token = await linkFor(false);
    expect((await follow({ token, confirmed: true })).status).toBe(204);
    expect(await listOf(browser)).toBe(200);
    expect((await follow({ token, confirmed: true })).status).toBe(404);
    expect((await openBrowser(api.server).signIn(name)).status).toBe(204);
  });

  test('a one-time link of the demo signs nobody in who has not confirmed it', async () => {
    const token = await linkFor(false);
    for (const body of [{ token }, { token, password: 'a longer password' }]) {
      expect(await follow(body)).toMatchObject({
        status: 422,
        body: {
          details: [{ path: 'confirmed', message: `is required: ask whether to continue as ${name}` }],
        },
      });
    }
    expect(browser.cookies.size).toBe(0);
    expect((await follow({ token, confirmed: true })).status).toBe(204);
  });

  test('a one-time link is used once even if two browsers follow it at the same time', async () => {
    const token = await linkFor(false);
    const confirmed = { token, confirmed: true };
    const replies = await Promise.all([follow(confirmed), follow(confirmed)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204, 404]));
  });

  test('a one-time link ends after three days, and when a newer one is made', async () => {
    const old = await linkFor(false);
    const recent = await linkFor(false);
    expect((await follow({ token: old })).status).toBe(404);
    nowMs += INVITE_MS;
    expect((await follow({ token: recent })).status).toBe(404);
  });
});

const listed = z.object({
  sessions: z.array(z.looseObject({ id: z.string(), is_current: z.boolean(), user_agent: z.string() })),
});

async function ownSessions(): Promise<z.infer<typeof listed>['sessions']> {
  return listed.parse((await browser.call('GET /console/sessions')).body).sessions;
}

describe('A user', () => {
  beforeEach(async () => {
    await browser.signIn(name);
  });

  test('a user lists their own sessions and ends one of them', async () => {
    const phone = openBrowser(api.server);
    await phone.call('POST /console/session', {
      body: { name, password: PASSWORD },
      headers: { 'user-agent': 'a phone' },
    });
    const sessions = await ownSessions();
    expect(sessions.filter(({ is_current }) => is_current)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
    const { id } = sessions.find(({ user_agent }) => user_agent === 'a phone') ?? { id: '' };
    expect((await browser.call(`DELETE /console/sessions/${id}`)).status).toBe(204);
    expect((await browser.call(`DELETE /console/sessions/${id}`)).status).toBe(404);
    nowMs += KNOWN_FOR_MS;
    expect((await phone.call('GET /console/session')).status).toBe(401);
    expect((await browser.call('GET /console/session')).status).toBe(200);
  });

  test('a user neither sees nor ends the sessions of others', async () => {
    const other = openBrowser(api.server);
    const otherName = `other ${name}`;
    const otherId = await insertUser(api.db, clock, { name: otherName, roles: {} });
    await other.signIn(otherName);
    const { id } = await api.db
      .selectFrom('console_sessions')
      .select('id')
      .where('user_id', '=', otherId)
      .executeTakeFirstOrThrow();
    for (const wanted of [id, 'x']) {
      expect((await browser.call(`DELETE /console/sessions/${wanted}`)).status).toBe(404);
    }
    const sessions = await ownSessions();
    expect(sessions.map((session) => session.id)).not.toContain(id);
  });

  test('a user signs out everywhere', async () => {
    const phone = openBrowser(api.server);
    await phone.signIn(name);
    expect((await browser.call('DELETE /console/sessions')).status).toBe(204);
    const ended = { action: 'console_user.signed_out', by_id: userId, object_id: userId };
    expect(await ownEntries()).toEqual([ended]);
    expect((await browser.call('GET /console/session')).status).toBe(401);
    nowMs += KNOWN_FOR_MS;
    expect((await phone.call('GET /console/session')).status).toBe(401);
  });

  test('a user changes the password with the current one, which ends all other sessions', async () => {
    const phone = openBrowser(api.server);
    await phone.signIn(name);
    const change = async (current_password: string, password: string) =>
      browser.call('PUT /console/password', { body: { current_password, password } });
    expect(await change('wrong', 'a longer password')).toMatchObject({
      status: 422,
      body: { details: [{ path: 'current_password' }] },
    });
    expect((await change(PASSWORD, 'short')).status).toBe(422);
    expect(await ownEntries()).toEqual([]);
    expect((await change(PASSWORD, 'a longer password')).status).toBe(204);
    const changed = { action: 'console_user.password_set', by_id: userId, object_id: userId };
    expect(await ownEntries()).toEqual([changed]);
    nowMs += KNOWN_FOR_MS;
    expect((await phone.call('GET /console/session')).status).toBe(401);
    expect((await browser.call('GET /console/session')).status).toBe(200);
    expect((await openBrowser(api.server).signIn(name, 'a longer password')).status).toBe(204);
  });

  test.each([
    'GET /console/session',
    'GET /console/sessions',
    'DELETE /console/sessions',
    'DELETE /console/sessions/x',
    'PUT /console/password',
  ])('a user needs a session for %s', async (address) => {
    expect((await openBrowser(api.server).call(address)).status).toBe(401);
  });
});

describe('A request with an unsafe method', () => {
  const body = { name: 'x', password: 'y' };

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site' }],
    ['that a person typed', { 'sec-fetch-site': 'none' }],
    ['from an older browser on another site', { origin: 'https://evil.example' }],
    ['from another port', { origin: 'http://localhost:9999' }],
    ['from a page without an origin', { origin: 'null' }],
    ['that says nothing', {}],
  ])('an unsafe request %s is refused, with a session and without', async (_what, headers) => {
    await browser.signIn(name);
    const silent = { 'sec-fetch-site': undefined, ...headers };
    for (const [address, call] of [
      ['POST /console/session', { body }],
      ['DELETE /console/session', {}],
      ['DELETE /console/sessions', {}],
      ['POST /console/session/invite', { body: { token: 'x' } }],
      ['POST /console/second-factor', { body: { password: PASSWORD } }],
      ['PUT /console/second-factor', { body: { code: '123456' } }],
      ['DELETE /console/second-factor', { body: { password: PASSWORD, code: '123456' } }],
      ['POST /v6/audiences', { app: api.app.id, body: {} }],
    ] as const) {
      const reply = await browser.call(address, { ...call, headers: silent });
      expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    expect(await listOf(browser)).toBe(200);
  });

  test('an unsafe request is accepted by its Origin where a browser sends no Sec-Fetch-Site', async () => {
    await browser.signIn(name);
    const headers = {
      'sec-fetch-site': undefined,
      origin: 'http://localhost:8080',
      host: 'localhost:8080',
    };
    expect((await browser.call('DELETE /console/session', { headers })).status).toBe(204);
  });
});
