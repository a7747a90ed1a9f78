/** Apps that users of the console add: who may, and what comes of it. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { createSession } from '../../src/console/accounts/session-store.ts';
import { createUser } from '../../src/console/accounts/users.ts';
import { type Reply, useApi } from '../http/api.ts';
import { useTestDatabase } from '../support/database.ts';
import { anotherServer, type Browser, insertUser, openBrowser } from './browser.ts';

const api = useApi();
const browsers: Record<string, Browser> = {};
const roles = ['viewer', 'sender', 'admin'] as const;

beforeAll(async () => {
  for (const role of roles) {
    await insertUser(api.db, systemClock, { name: role, roles: { [api.app.id]: role } });
    browsers[role] = openBrowser(api.server);
    await browsers[role].signIn(role);
  }
});

const newId = (): string => `com.example.${randomUUID()}`;
const added = z.object({ app: z.object({ id: z.string(), bundle_id: z.string() }) });

async function add(as: string, app: unknown, headers = {}): Promise<Reply> {
  const browser = browsers[as] ?? openBrowser(api.server);
  return browser.call('POST /console/apps', { body: { app }, headers });
}

async function whyNot(browser: Browser | undefined): Promise<unknown> {
  const reply = await browser?.call('GET /console/session');
  return z.object({ why_no_new_app: z.string().nullable() }).parse(reply?.body).why_no_new_app;
}

describe('Adding an app', () => {
  test('an admin who adds an app is its admin at once, and the audit log of the app begins with it', async () => {
    const bundle_id = newId();
    const reply = await add('admin', { bundle_id, name: 'Second app' });
    expect(reply).toMatchObject({ status: 201, body: { app: { bundle_id, role: 'admin' } } });
    const { id } = added.parse(reply.body).app;
    const log = await browsers['admin']?.call('GET /v6/audit', { app: id });
    expect(log?.body).toMatchObject({
      entries: [
        { action: 'console_user.added', by: { kind: 'user', name: 'admin' } },
        { action: 'app.created', object_id: id, by: { kind: 'user', name: 'admin' } },
      ],
    });
  });

  test('an app that is added twice by the same page is there once', async () => {
    const app = { bundle_id: newId(), name: 'Twice' };
    const [first, second, third] = [
      ...(await Promise.all([add('admin', app), add('admin', app)])),
      await add('admin', app),
    ];
    expect(new Set([first?.status, second?.status])).toEqual(new Set([200, 201]));
    expect(third).toMatchObject({ status: 200 });
    expect(new Set([first, second, third].map((reply) => added.parse(reply?.body).app.id)).size).toBe(1);
  });

  test('an app of others stays theirs, and the refusal says whom to ask', async () => {
    const app = { bundle_id: newId(), name: 'Theirs' };
    const other = `other ${randomUUID()}`;
    await insertUser(api.db, systemClock, { name: other, roles: { [api.app.id]: 'admin' } });
    browsers[other] = openBrowser(api.server);
    await browsers[other].signIn(other);
    expect((await add(other, app)).status).toBe(201);
    expect(await add('admin', app)).toMatchObject({
      status: 422,
      body: { details: [{ path: 'app.bundle_id', message: expect.stringContaining('ask its admins') }] },
    });
  });

  test.each(['viewer', 'sender'])('a %s adds no app, and the session says why', async (role) => {
    expect(await add(role, { bundle_id: newId(), name: 'x' })).toMatchObject({ status: 403 });
    expect(await whyNot(browsers[role])).toBe('Only an admin of one of the apps adds another.');
    expect(await whyNot(browsers['admin'])).toBe(null);
  });

  test.each([
    [{ bundle_id: 'a b', name: 'x' }, 'app.bundle_id'],
    [{ bundle_id: 'a', name: ' ' }, 'app.name'],
    [{ bundle_id: 'a', name: 'x\u0000' }, 'app.name'],
    [{ bundle_id: 'a', name: 'x', role: 'admin' }, 'app.role'],
    [undefined, 'app'],
  ])('the app %j is refused at %s', async (app, path) => {
    expect(await add('admin', app)).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });

  test('an app is added neither without a session nor from a page of another origin', async () => {
    const app = { bundle_id: newId(), name: 'x' };
    expect((await add('nobody', app)).status).toBe(401);
    expect((await add('admin', app, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('A server without an app', () => {
  const database = useTestDatabase();

  const open = (settings: { whoAddsApps?: 'nobody'; isDemo?: boolean }) =>
    anotherServer({ db: database.db, queue: api.queue }, settings);

  test('the first user adds the first app, and nobody without a role another', async () => {
    await using server = open({});
    await insertUser(database.db, systemClock, { name: 'first', roles: {} });
    const browser = openBrowser(server);
    await browser.signIn('first');
    expect(await browser.call('GET /console/session')).toMatchObject({ body: { apps: [], is_demo: false } });
    expect(await whyNot(browser)).toBe(null);
    const body = { app: { bundle_id: newId(), name: 'First' } };
    expect(await browser.call('POST /console/apps', { body })).toMatchObject({ status: 201 });
    await insertUser(database.db, systemClock, { name: 'second', roles: {} });
    const late = openBrowser(server);
    await late.signIn('second');
    expect(await late.call('POST /console/apps', { body })).toMatchObject({ status: 403 });
  });

  test('where the operator has forbidden it, no admin adds an app', async () => {
    await using server = open({ whoAddsApps: 'nobody', isDemo: true });
    const browser = openBrowser(server);
    await browser.signIn('first');
    expect(await browser.call('GET /console/session')).toMatchObject({
      body: { is_demo: true, why_no_new_app: expect.stringContaining('on the command line alone') },
    });
    const body = { app: { bundle_id: newId(), name: 'x' } };
    expect(await browser.call('POST /console/apps', { body })).toMatchObject({ status: 403 });
  });

  test('a user of an OpenID provider adds no app, because the next sign-in would take the role', async () => {
    await using server = open({});
    const provider = { issuer: 'https://accounts.example.com', subject: '1' };
    const user = await createUser(database.db, { name: 'of groups', provider }, systemClock);
    const session = { userId: user?.id ?? '', userAgent: undefined };
    const { secret } = await createSession(database.db, session, systemClock);
    const browser = openBrowser(server);
    browser.cookies.set('carillon', secret);
    expect(await whyNot(browser)).toContain('sign-in service');
  });
});
