/** Signing in through an OpenID provider, against a real one. */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listUsers } from '../../src/console/accounts/users.ts';
import type { Observation } from '../../src/observe.ts';
import { KNOWN_FOR_MS } from '../../src/apps/recent-look-ups.ts';
import { type Reply, useApi } from '../http/api.ts';
import { closedPort } from '../support/ports.ts';
import { anotherServer, type Browser, insertUser, openBrowser, PASSWORD } from './browser.ts';
import { CLIENT, startOpenIdProvider, type TestProvider } from './openid-provider.ts';

const CONSOLE_URL = 'http://localhost:8080/console';
const HOUR_MS = 3_600_000;

// The provider has the time of the machine, and what it signs is valid for some minutes.
let aheadMs = 0;
const clock = (): Date => new Date(Date.now() + aheadMs);
const api = useApi(clock);
const seen: Observation[] = [];
let provider: TestProvider;
let server: FastifyInstance;
let browser: Browser;

function serverFor(issuer: string): FastifyInstance {
  return anotherServer(api, {
    clock,
    observe: (observation) => seen.push(observation),
    oidc: {
      issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      scope: 'openid profile email',
      groupsClaim: 'groups',
      roles: {
        'push team': { [api.app.bundleId]: 'sender', 'com.example.nowhere': 'admin' },
        'on-call': { '*': 'viewer' },
        leads: { [api.otherApp.bundleId]: 'admin' },
      },
      consoleUrl: CONSOLE_URL,
    },
  });
}

beforeAll(async () => {
  provider = await startOpenIdProvider(CONSOLE_URL);
  server = serverFor(provider.issuer);
});
afterAll(async () => {
  await server.close();
  await provider.close();
});
beforeEach(async () => {
  await api.db.deleteFrom('console_users').execute();
  provider.people.clear();
  seen.length = 0;
  browser = openBrowser(server, 'localhost:8080');
});

/** The provider knows a person, by the id `17`. */
function isAnn(groups: string[] | string | undefined): void {
  provider.people.set('17', { preferred_username: 'ann', ...(groups !== undefined && { groups }) });
}

/** Signs in as a browser does: to the provider, and back with what it says. */
async function signIn(person: string | undefined, from = browser, next = ''): Promise<Reply> {
  return from.call(await callbackOf(person, from, next), { headers: { 'sec-fetch-site': 'cross-site' } });
}

/** @returns the call by which the browser comes back from the provider */
async function callbackOf(
  person: string | undefined,
  from: Browser,
  next = '',
  at = provider,
): Promise<string> {
  at.person = person;
  const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`;
  const away = await from.call(`GET /console/openid/sign-in${query}`);
  expect(away.status).toBe(303);
  const back = new URL(await at.follow(String(away.headers['location'])));
  expect(`${back.origin}${back.pathname}`).toBe(`${CONSOLE_URL}/openid/callback`);
  return `GET ${back.pathname}${back.search}`;
}

const rolesOf = async () =>
  (await listUsers(api.db)).map(({ name, signsIn, roles }) => ({
    name,
    signsIn,
    roles: Object.fromEntries(roles.map(({ bundleId, role }) => [bundleId, role])),
  }));

function entry(app_id: string, action: string): object {
  return { app_id, action, by_name: 'ann' };
}

/** The reply that leads to the page of signing in, which says what went wrong. */
function problem(name: string): object {
  return { status: 303, headers: { location: `${CONSOLE_URL}/sign-in?problem=${name}` } };
}

async function options(from: Browser): Promise<unknown> {
  return (await from.call('GET /console/sign-in-options')).body;
}

describe('A user of the provider', () => {
  test('a user of the provider signs in with the roles of the provider, and the highest role in each app', async () => {
    provider.people.set('17', {
      email: 'ann@example.com',
      email_verified: true,
      groups: ['on-call', 'push team', 'strangers'],
    });
    const reply = await signIn('17', browser, 'apps/com.example.app/devices?tab=events');
    expect(reply).toMatchObject({
      status: 303,
      headers: { location: `${CONSOLE_URL}/apps/com.example.app/devices?tab=events` },
    });
    expect(browser.cookies.get('carillon-openid')).toBeUndefined();
    expect(await browser.call('GET /console/session')).toMatchObject({
      body: { user: { name: 'ann@example.com', signs_in: 'openid' } },
    });
    expect(await rolesOf()).toEqual([
      {
        name: 'ann@example.com',
        signsIn: 'openid',
        roles: { [api.app.bundleId]: 'sender', [api.otherApp.bundleId]: 'viewer' },
      },
    ]);
    expect((await browser.call('GET /v6/notifications', { app: api.app.id })).status).toBe(200);
  });

  test('a user has the roles of the provider again at each sign-in, and the audit log has the changes', async () => {
    isAnn(['on-call']);
    await signIn('17');
    isAnn(['push team']);
    await signIn('17');
    expect(await rolesOf()).toMatchObject([{ roles: { [api.app.bundleId]: 'sender' } }]);
    const log = await api.db
      .selectFrom('audit_log')
      .select(['app_id', 'action', 'by_name'])
      .where('by_name', '=', 'ann')
      .execute();
    expect(new Set(log.map((one) => JSON.stringify(one)))).toEqual(
      new Set(
        [
          entry(api.app.id, 'console_user.added'),
          entry(api.otherApp.id, 'console_user.added'),
          entry(api.otherApp.id, 'console_user.removed'),
          entry(api.app.id, 'console_user.role_changed'),
        ].map((one) => JSON.stringify(one)),
      ),
    );
  });

  test('a user gets in again only through the provider after 12 hours, however much the session is used', async () => {
    isAnn('on-call');
    await signIn('17');
    aheadMs = 11 * HOUR_MS;
    expect((await browser.call('GET /console/session')).status).toBe(200);
    aheadMs = 12 * HOUR_MS;
    expect((await browser.call('GET /console/session')).status).toBe(401);
    aheadMs = 0;
  });

  test.each([[[]], [['strangers']], [['constructor', '__proto__']], ['strangers'], [undefined]])(
    'a user has no role and does not get in where the provider lists %j',
    async (groups) => {
      isAnn(groups);
      expect(await signIn('17')).toMatchObject(problem('no_role'));
      expect(await rolesOf()).toEqual([]);
    },
  );

  test('a user without a role at the provider any more loses roles and sessions at the next sign-in', async () => {
    isAnn(['on-call']);
    await signIn('17');
    isAnn([]);
    await signIn('17', openBrowser(server, 'localhost:8080'));
    aheadMs = KNOWN_FOR_MS;
    expect((await browser.call('GET /console/session')).status).toBe(401);
    aheadMs = 0;
    expect(await rolesOf()).toMatchObject([{ roles: {} }]);
  });

  test('a user of the provider never opens the account of somebody else with the same name', async () => {
    const id = await insertUser(api.db, clock, {
      name: 'ann@example.com',
      roles: { [api.otherApp.id]: 'admin' },
    });
    provider.people.set('17', { email: 'Ann@example.com', groups: ['push team'] });
    provider.people.set('18', { email: 'ann@example.com', groups: ['push team'] });
    await signIn('17');
    const { body } = await browser.call('GET /console/session');
    expect(body).toMatchObject({ user: { name: 'Ann@example.com (OpenID)' } });
    expect(body).not.toMatchObject({ user: { id } });
    await signIn('18');
    const roles = { [api.app.bundleId]: 'sender' };
    expect(await rolesOf()).toEqual([
      { name: 'ann@example.com', signsIn: 'password', roles: { [api.otherApp.bundleId]: 'admin' } },
      { name: 'ann@example.com (OpenID 18)', signsIn: 'openid', roles },
      { name: 'Ann@example.com (OpenID)', signsIn: 'openid', roles },
    ]);
  });

  test('a user of the provider is not named by an e-mail address that nobody has verified', async () => {
    provider.people.set('17', {
      email: 'boss@example.com',
      email_verified: false,
      preferred_username: 'ann',
      groups: ['on-call'],
    });
    await signIn('17');
    expect(await rolesOf()).toMatchObject([{ name: 'ann' }]);
  });

  test('a user of the provider cannot sign in with a password', async () => {
    isAnn(['on-call']);
    await signIn('17');
    expect((await openBrowser(server).signIn('ann', PASSWORD)).status).toBe(401);
  });

  test('a user signs out of the console and, if wanted, of the provider', async () => {
    const { headers, status } = await browser.call('GET /console/openid/sign-out');
    expect(status).toBe(303);
    const url = new URL(String(headers['location']));
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      post_logout_redirect_uri: `${CONSOLE_URL}/sign-in`,
    });
  });
});

describe('The way to the provider', () => {
  test('the way to the provider carries PKCE, state and nonce, and a cookie that the provider does not see', async () => {
    const { headers } = await browser.call('GET /console/openid/sign-in');
    const { searchParams } = new URL(String(headers['location']));
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${CONSOLE_URL}/openid/callback`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(String(headers['set-cookie'])).toMatch(
      /^carillon-openid=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
  });

  // accounts/next-address.test.ts has more of them.
  test('the way from the provider leads back to the console and not to another host', async () => {
    isAnn(['on-call']);
    expect((await signIn('17', browser, '//example.com')).headers['location']).toBe(`${CONSOLE_URL}/`);
  });
});

describe('Nobody gets in', () => {
  test('nobody gets in by pressing "cancel" at the provider', async () => {
    expect(await signIn(undefined)).toMatchObject(problem('refused'));
    expect(browser.cookies.has('carillon')).toBe(false);
  });

  test('nobody gets in with an answer of the provider that another browser asked for', async () => {
    isAnn(['on-call']);
    const callback = await callbackOf('17', openBrowser(server, 'localhost:8080'));
    expect(await browser.call(callback)).toMatchObject(problem('expired'));
    await browser.call('GET /console/openid/sign-in'); // has a state of its own now
    expect(await browser.call(callback)).toMatchObject(problem('failed'));
    expect(browser.cookies.has('carillon')).toBe(false);
    expect(await rolesOf()).toEqual([]);
  });

  test('nobody gets in twice with one answer of the provider', async () => {
    isAnn(['on-call']);
    const callback = await callbackOf('17', browser);
    const cookie = browser.cookies.get('carillon-openid') ?? '';
    expect((await browser.call(callback)).headers['location']).toBe(`${CONSOLE_URL}/`);
    const again = openBrowser(server, 'localhost:8080');
    again.cookies.set('carillon-openid', cookie);
    expect(await again.call(callback)).toMatchObject(problem('failed'));
    expect(again.cookies.has('carillon')).toBe(false);
  });

  test.each(['', '?code=x&state=y', '?error=access_denied&state=y'])(
    'nobody gets in by the address of the way back alone (%s)',
    async (query) => {
      expect(await browser.call(`GET /console/openid/callback${query}`)).toMatchObject(problem('expired'));
    },
  );

  test.each(['x', 'e30', Buffer.from('{"state":1}').toString('base64url')])(
    'nobody gets in with a made-up cookie (%s)',
    async (value) => {
      browser.cookies.set('carillon-openid', value);
      expect(await browser.call('GET /console/openid/callback?code=x&state=y')).toMatchObject(
        problem('expired'),
      );
    },
  );

  test('nobody gets in while the provider is away, and the log says so without quoting it', async () => {
    const gone = await startOpenIdProvider(CONSOLE_URL);
    await gone.close();
    await using lost = serverFor(gone.issuer);
    for (const path of ['sign-in', 'sign-out']) {
      expect(await openBrowser(lost, 'localhost:8080').call(`GET /console/openid/${path}`)).toMatchObject(
        problem('unreachable'),
      );
    }
    expect(seen).toContainEqual({
      kind: 'openid_failed',
      problem: 'unreachable',
      reason: expect.stringContaining('TypeError'),
    });
  });
});

test('a provider that is away at the start is used as soon as it answers', async () => {
  const port = await closedPort();
  await using late = serverFor(`http://127.0.0.1:${port}`);
  const from = openBrowser(late, 'localhost:8080');
  const begin = async () => from.call('GET /console/openid/sign-in');
  expect(await options(from)).toMatchObject({ openid: `127.0.0.1:${port}` });
  expect(await begin()).toMatchObject(problem('unreachable'));
  const started = await startOpenIdProvider(CONSOLE_URL, { port });
  try {
    expect((await begin()).headers['location']).toMatch(new RegExp(`^${started.issuer}/auth\\?`));
  } finally {
    await started.close();
  }
});

describe.each(['', '/', '/realms/a', '/application/o/carillon/'])('The issuer with the path %j', (path) => {
  let mounted: TestProvider;
  beforeAll(async () => {
    mounted = await startOpenIdProvider(CONSOLE_URL, { path });
  });
  afterAll(async () => mounted.close());

  test.each(['', '/'])('the address of the issuer may have %j at its end', async (end) => {
    mounted.people.set('1', { email: 'ann@example.com', email_verified: true, groups: ['on-call'] });
    await using given = serverFor(mounted.issuer.replace(/\/$/, '') + end);
    const from = openBrowser(given, 'localhost:8080');
    const headers = { 'sec-fetch-site': 'cross-site' };
    const reply = await from.call(await callbackOf('1', from, '', mounted), { headers });
    expect(reply).toMatchObject({ status: 303, headers: { location: `${CONSOLE_URL}/` } });
    expect((await from.call('GET /console/session')).status).toBe(200);
  });
});

test('an address that is no provider is not reported as away', async () => {
  await using wrong = serverFor(`${provider.issuer}/elsewhere`);
  expect(await openBrowser(wrong, 'localhost:8080').call('GET /console/openid/sign-in')).toMatchObject(
    problem('failed'),
  );
});

test('the sign-in page names the provider, and only where there is one', async () => {
  expect(await options(browser)).toMatchObject({ openid: new URL(provider.issuer).host });
  expect(await options(openBrowser(api.server))).toMatchObject({ openid: null });
});
