/** Users of the console, managed by the admins of an app over the API. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Role } from '../../src/console/accounts/roles.ts';
import { createUser } from '../../src/console/accounts/users.ts';
import { type Reply, useApi } from '../http/api.ts';
import { type Browser, insertUser, openBrowser, PASSWORD } from './browser.ts';

const nowMs = Date.now();
const clock = (): Date => new Date(nowMs);
const api = useApi(clock);
let admin: Browser;
let adminId: string;
let adminName: string;

beforeEach(async () => {
  await api.db.deleteFrom('console_users').execute();
  adminName = `admin ${randomUUID()}`;
  ({ id: adminId, browser: admin } = await signedIn(adminName, 'admin'));
});

/** A user in the browser of that user. */
async function signedIn(name: string, role: Role): Promise<{ id: string; browser: Browser }> {
  const id = await insertUser(api.db, clock, { name, roles: { [api.app.id]: role } });
  const browser = openBrowser(api.server);
  await browser.signIn(name);
  return { id, browser };
}

const ask = async (address: string, body?: object): Promise<Reply> =>
  admin.call(address, { app: api.app.id, body });
const invited = z.object({
  user: z.looseObject({ id: z.string() }),
  invite: z.object({ token: z.string() }).nullable(),
});

/** Chooses a password by a link. @returns the status */
async function follow(token: string | undefined): Promise<number> {
  const body = { token, password: PASSWORD };
  return (await openBrowser(api.server).call('POST /console/session/invite', { body })).status;
}

describe('An admin', () => {
  test('an admin invites someone, who chooses a password by the link, and sees the user', async () => {
    const reply = await ask('POST /v6/console-users', { user: { name: 'Ben', role: 'sender' } });
    expect(reply).toMatchObject({
      status: 201,
      body: { user: { name: 'Ben', role: 'sender', signs_in: 'not_yet' } },
    });
    const { invite } = invited.parse(reply.body);
    const ben = openBrowser(api.server);
    const body = { token: invite?.token, password: PASSWORD };
    expect((await ben.call('POST /console/session/invite', { body })).status).toBe(204);
    expect((await ben.call('GET /v6/notifications', { app: api.app.id })).status).toBe(200);
    expect(await ask('GET /v6/console-users')).toMatchObject({
      body: {
        users: [
          { id: adminId, name: adminName, role: 'admin', signs_in: 'password' },
          { name: 'Ben', role: 'sender', signs_in: 'password' },
        ],
      },
    });
    expect(JSON.stringify((await ask('GET /v6/console-users')).body)).not.toContain('argon2');
  });

  test('an admin changes a role and takes it, which counts at once', async () => {
    const { id, browser: ben } = await signedIn('Ben', 'viewer');
    const send = async () => (await ben.call('POST /v6/notifications', { app: api.app.id, body: {} })).status;
    expect(await send()).toBe(403);
    const changed = await ask(`PUT /v6/console-users/${id}`, { user: { role: 'sender' } });
    expect(changed).toMatchObject({ status: 200, body: { user: { id, role: 'sender' } } });
    expect(await send()).toBe(422);
    expect((await ask(`DELETE /v6/console-users/${id}`)).status).toBe(204);
    expect(await send()).toBe(401); // there was no other app, so the user is gone
    expect((await ask(`DELETE /v6/console-users/${id}`)).status).toBe(404);
  });

  test('each change by an admin is in the audit log, with who made it', async () => {
    const { user } = invited.parse(
      (await ask('POST /v6/console-users', { user: { name: 'Ben', role: 'viewer' } })).body,
    );
    await ask(`PUT /v6/console-users/${user.id}`, { user: { role: 'sender' } });
    await ask(`PUT /v6/console-users/${user.id}`, { user: { role: 'sender' } });
    await ask(`POST /v6/console-users/${user.id}/invite`);
    await ask(`DELETE /v6/console-users/${user.id}/sessions`);
    await ask(`DELETE /v6/console-users/${user.id}`);
    const log = await ask(`GET /v6/audit?object=${user.id}`);
    const { entries } = z.object({ entries: z.array(z.looseObject({ action: z.string() })) }).parse(log.body);
    const by = { kind: 'user', id: adminId, name: adminName };
    const viewer = { name: 'Ben', role: 'viewer' };
    const sender = { name: 'Ben', role: 'sender' };
    expect(entries).toHaveLength(5);
    expect(new Map(entries.map(({ action, ...entry }) => [action, entry]))).toEqual(
      new Map(
        Object.entries({
          'console_user.added': { by, before: null, after: viewer },
          'console_user.role_changed': { by, before: viewer, after: sender },
          'console_user.link_made': { by, before: null, after: { name: 'Ben' } },
          'console_user.signed_out': { by, before: null, after: { name: 'Ben' } },
          'console_user.removed': { by, before: sender, after: null },
        }).map(([action, entry]) => [action, expect.objectContaining(entry)]),
      ),
    );
  });

  test('an admin lists the sessions of a user and ends them', async () => {
    const { id, browser: ben } = await signedIn('Ben', 'viewer');
    const listed = await ask(`GET /v6/console-users/${id}/sessions`);
    expect(listed).toMatchObject({ status: 200, body: { sessions: [{ id: expect.any(String) }] } });
    expect(JSON.stringify(listed.body)).not.toContain(ben.cookies.get('carillon'));
    expect((await ask(`DELETE /v6/console-users/${id}/sessions`)).status).toBe(204);
    expect((await ben.call('GET /console/session')).status).toBe(401);
    expect(await ask(`GET /v6/console-users/${id}/sessions`)).toMatchObject({ body: { sessions: [] } });
  });

  test('an admin makes another link for a forgotten password, which replaces the earlier one', async () => {
    const first = invited.parse(
      (await ask('POST /v6/console-users', { user: { name: 'Ben', role: 'viewer' } })).body,
    );
    const again = await ask(`POST /v6/console-users/${first.user.id}/invite`);
    const { invite } = z.object({ invite: z.object({ token: z.string() }) }).parse(again.body);
    expect(await follow(first.invite?.token)).toBe(404);
    expect(await follow(invite.token)).toBe(204);
  });

  test('an admin gives a role to a user of another app without getting a link to the account', async () => {
    const id = await insertUser(api.db, clock, { name: 'Cid', roles: { [api.otherApp.id]: 'admin' } });
    expect(await ask('POST /v6/console-users', { user: { name: 'CID', role: 'viewer' } })).toMatchObject({
      status: 201,
      body: { user: { id, name: 'Cid' }, invite: null },
    });
    expect(await ask(`POST /v6/console-users/${id}/invite`)).toMatchObject({
      status: 409,
      body: { code: 'user_elsewhere' },
    });
    expect((await ask(`DELETE /v6/console-users/${id}`)).status).toBe(204);
    expect((await openBrowser(api.server).signIn('Cid')).status).toBe(204);
  });

  test('an admin gets no link to an invited user of another app who has not signed in yet', async () => {
    const user = await createUser(api.db, { name: 'Dora' }, clock);
    await api.db
      .insertInto('console_roles')
      .values({ app_id: api.otherApp.id, user_id: user?.id ?? '', role: 'admin' })
      .execute();
    expect(await ask('POST /v6/console-users', { user: { name: 'Dora', role: 'viewer' } })).toMatchObject({
      status: 201,
      body: { user: { signs_in: 'not_yet' }, invite: null },
    });
  });

  test('the last admin cannot go', async () => {
    for (const [address, body] of [
      [`PUT /v6/console-users/${adminId}`, { user: { role: 'viewer' } }],
      [`DELETE /v6/console-users/${adminId}`, undefined],
    ] as const) {
      expect(await ask(address, body)).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    }
    await insertUser(api.db, clock, { name: 'Ben', roles: { [api.app.id]: 'admin' } });
    expect((await ask(`DELETE /v6/console-users/${adminId}`)).status).toBe(204);
  });

  test('one admin stays if two admins take each other’s role at the same time', async () => {
    const id = await insertUser(api.db, clock, { name: 'Ben', roles: { [api.app.id]: 'admin' } });
    const replies = await Promise.all([
      ask(`DELETE /v6/console-users/${id}`),
      ask(`DELETE /v6/console-users/${adminId}`),
    ]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204, 409]));
  });

  test.each([
    [{}, ['user']],
    [{ user: {} }, ['user.name', 'user.role']],
    [{ user: { name: ' Ben', role: 'owner' } }, ['user.name', 'user.role']],
    [{ user: { name: 'a\u202eb', role: 'viewer', password: 'x' } }, ['user.name', 'user.password']],
  ])('an admin gets every fault of %j, and nothing is stored', async (body, paths) => {
    const reply = await ask('POST /v6/console-users', body);
    expect(reply).toMatchObject({ status: 422 });
    const { details } = z
      .object({ details: z.array(z.object({ path: z.string(), message: z.string() })) })
      .parse(reply.body);
    expect(new Set(details.map(({ path }) => path))).toEqual(new Set(paths));
    expect(await ask('GET /v6/console-users')).toMatchObject({ body: { users: [{ id: adminId }] } });
  });

  test('an admin does not invite someone twice', async () => {
    const body = { user: { name: 'Ben', role: 'viewer' } };
    await ask('POST /v6/console-users', body);
    expect(await ask('POST /v6/console-users', body)).toMatchObject({
      status: 422,
      body: {
        details: [{ path: 'user.name', message: 'has a role in this app already; change that role instead' }],
      },
    });
  });
});

describe('A key', () => {
  test('a key with `admin` alone gives no role, because each includes a permission that it lacks', async () => {
    const key = api.app.keys.admin;
    const id = await insertUser(api.db, clock, { name: 'Ben', roles: { [api.app.id]: 'viewer' } });
    for (const [address, body] of [
      ['POST /v6/console-users', { user: { name: 'Eve', role: 'viewer' } }],
      [`PUT /v6/console-users/${id}`, { user: { role: 'admin' } }],
      [`POST /v6/console-users/${id}/invite`, undefined],
      [`DELETE /v6/console-users/${id}`, undefined],
    ] as const) {
      expect(await api.call(address, { key, body })).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining('lacks: read') },
      });
    }
    expect((await api.call('GET /v6/console-users', { key })).status).toBe(200);
  });

  test('a key with every permission manages users as an admin does', async () => {
    const body = { user: { name: 'Eve', role: 'admin' } };
    expect((await api.call('POST /v6/console-users', { body })).status).toBe(201);
  });
});
