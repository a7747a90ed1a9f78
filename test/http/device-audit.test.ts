/** Changes of devices by users of the console are in the audit log; those by apps are not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Role } from '../../src/console/accounts/roles.ts';
import { type Browser, insertUser, openBrowser } from '../console/browser.ts';
import { useApi } from './api.ts';

const api = useApi();
let browsers: Readonly<Record<Role, Browser>>;

beforeAll(async () => {
  browsers = {
    viewer: await signedIn('viewer'),
    sender: await signedIn('sender'),
    admin: await signedIn('admin'),
  };
});

async function signedIn(role: Role): Promise<Browser> {
  await insertUser(api.db, systemClock, { name: role, roles: { [api.app.id]: role } });
  const browser = openBrowser(api.server);
  expect(await browser.signIn(role)).toMatchObject({ status: 204 });
  return browser;
}

const as = async (role: Role, address: string, body?: unknown) =>
  browsers[role].call(address, { app: api.app.id, ...(body !== undefined && { body }) });

async function entries(id: string): Promise<unknown> {
  return (await as('admin', `GET /v6/audit?object=${id}`)).body;
}

const flag = { device: { development: true } };

describe('The audit log', () => {
  test('the audit log has who flagged a device as development, and unflagged and erased it', async () => {
    const id = await api.newDevice();
    expect(await as('admin', `PUT /v6/devices/${id}`, flag)).toMatchObject({ status: 200 });
    const unflag = { device: { development: false, user_email: 'ada@example.com' } };
    expect(await as('admin', `PUT /v6/devices/${id}`, unflag)).toMatchObject({ status: 200 });
    expect(await as('admin', `DELETE /v6/devices/${id}`)).toMatchObject({ status: 204 });
    const log = await entries(id);
    expect(log).toMatchObject({
      entries: expect.arrayContaining(
        [
          {
            action: 'device.flagged_development',
            before: { development: false },
            after: { development: true },
          },
          { action: 'device.unflagged_development', after: { development: false } },
          { action: 'device.updated', after: { attributes: ['user_email'] } },
          { action: 'device.erased' },
        ].map((entry) =>
          expect.objectContaining({ by: expect.objectContaining({ name: 'admin' }), ...entry }),
        ),
      ),
    });
    expect(JSON.stringify(log)).not.toContain('ada@example.com');
  });

  test('the audit log has no update that changes no flag, and none by an app', async () => {
    const id = await api.newDevice();
    await as('admin', `PUT /v6/devices/${id}`, { device: { development: false } });
    await api.call(`PUT /v6/devices/${id}`, { key: api.app.keys.register, body: flag });
    expect(await entries(id)).toMatchObject({ entries: [] });
  });
});

describe('A user of the console', () => {
  test.each<[Role, string, unknown]>([
    ['viewer', 'PUT /v6/devices/<id>', flag],
    ['viewer', 'DELETE /v6/devices/<id>', undefined],
    ['viewer', 'POST /v6/notifications', { notification: { to: '*', payload: { alert: 'Hi' } } }],
    ['sender', 'PUT /v6/devices/<id>', flag],
    ['sender', 'DELETE /v6/devices/<id>', undefined],
  ])('a user with the role %s may not %s', async (role, address, body) => {
    const id = await api.newDevice();
    expect(await as(role, address.replace('<id>', id), body)).toMatchObject({ status: 403 });
    expect(await as('viewer', `GET /v6/devices/${id}`)).toMatchObject({
      status: 200,
      body: { device: { development: false } },
    });
  });

  test('a user may look devices up with any role', async () => {
    const id = await api.newDevice();
    for (const role of ['viewer', 'sender', 'admin'] as const) {
      const reply = await as(role, 'POST /v6/devices/lookup', { query: id });
      expect(reply).toMatchObject({ status: 200, body: { devices: [{ match: 'id' }] } });
    }
  });
});
