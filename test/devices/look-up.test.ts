/** A device is found by whatever a person has in hand, and its push token is described without being shown. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { LOOK_UP_DEVICES_MAX, lookUpDevices, parseLookUpBody } from '../../src/devices/look-up.ts';
import { readTokenState } from '../../src/devices/tokens/token-state.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { tableReads } from '../support/statements.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { later, noon, useDevices } from './devices-of-app.ts';

const { database, app, update, erase, retire, ...devices } = useDevices();

async function register(attributes: object = {}): Promise<string> {
  return (await devices.register(attributes)).device.id;
}

async function matches(query: string): Promise<[string, string][]> {
  const found = await lookUpDevices(database.db, tokenKeys, app.id, query);
  return found.devices.map(({ match, device }) => [match, device.id]);
}

describe('Finding devices', () => {
  test('a look-up finds a device by its id in any case, its token, its user and its e-mail address', async () => {
    const push_token = newToken();
    const id = await register({ push_token, user_id: 'ada', user_email: 'ada@example.com' });
    expect(await matches(id)).toEqual([['id', id]]);
    expect(await matches(id.toUpperCase())).toEqual([['id', id]]);
    expect(await matches(push_token)).toEqual([['push_token', id]]);
    expect(await matches(push_token.toUpperCase())).toEqual([['push_token', id]]);
    expect(await matches('ada')).toEqual([['user_id', id]]);
    expect(await matches('ada@example.com')).toEqual([['user_email', id]]);
  });

  test('a look-up finds the device that has lost a token, by that token', async () => {
    const push_token = newToken();
    const id = await register({ push_token });
    await retire(id, push_token);
    expect(await matches(push_token.toUpperCase())).toEqual([['retired_push_token', id]]);
  });

  test('a look-up finds a user whose id is a UUID', async () => {
    const user_id = randomUUID();
    expect(await matches(user_id)).toEqual([]);
    const id = await register({ user_id });
    expect(await matches(user_id)).toEqual([['user_id', id]]);
  });

  test('a look-up finds users by the beginning of their id, exact ids first, and nothing by a wildcard', async () => {
    const longer = await register({ user_id: 'user-17' });
    const exact = await register({ user_id: 'user-1' });
    await register({ user_id: 'user-2' });
    await register({ user_id: 'USER-1' });
    expect(await matches('user-1')).toEqual([
      ['user_id', exact],
      ['user_id_prefix', longer],
    ]);
    expect(await matches('user%')).toEqual([]);
    expect(await matches('user_1')).toEqual([]);
  });

  test('a look-up finds a device once, though it matches in several ways', async () => {
    const email = 'ada@example.com';
    const id = await register({ user_id: email, user_email: email });
    expect(await matches(email)).toEqual([['user_id', id]]);
  });

  test('a look-up finds nothing of another app', async () => {
    const push_token = newToken();
    const id = await register({ push_token, user_id: 'ada' });
    app.id = (await insertApp(database.db)).id;
    for (const query of [id, push_token, 'ada', 'ad']) expect(await matches(query)).toEqual([]);
  });

  test('a look-up finds no erased device, but says when it was erased', async () => {
    const id = await register();
    await erase(id);
    expect(await lookUpDevices(database.db, tokenKeys, app.id, id)).toEqual({
      devices: [],
      more: false,
      erased_at: later.toISOString(),
    });
  });

  test('a look-up finds a page of the devices of a shared user, and says that there are more', async () => {
    const insert = async (count: number) =>
      sql`insert into devices (app_id, id, platform, created_at, registered_at, user_id)
        select ${app.id}, gen_random_uuid(), 'iOS', ${noon}, ${noon}, 'guest' from generate_series(1, ${count})`.execute(
        database.db,
      );
    await insert(LOOK_UP_DEVICES_MAX);
    const page = await lookUpDevices(database.db, tokenKeys, app.id, 'guest');
    expect([page.devices.length, page.more]).toEqual([LOOK_UP_DEVICES_MAX, false]);
    await insert(1);
    const full = await lookUpDevices(database.db, tokenKeys, app.id, 'guest');
    expect([full.devices.length, full.more]).toEqual([LOOK_UP_DEVICES_MAX, true]);
  });
});

describe('A look-up', () => {
  test.each([
    [{}],
    [{ query: '' }],
    [{ query: 1 }],
    [{ query: 'x'.repeat(2_049) }],
    [{ query: 'x', by: 'id' }],
  ])('a look-up of %j is refused', (body) => {
    expect(() => parseLookUpBody(body)).toThrow(/query|by/);
  });

  test('a look-up reads only indexes, and few entries of them', async () => {
    await sql`insert into devices (app_id, id, platform, created_at, registered_at, user_id)
      select ${app.id}, gen_random_uuid(), 'iOS', ${noon}, ${noon}, 'user-' || n from generate_series(1, 20000) as n`.execute(
      database.db,
    );
    await sql`analyze devices`.execute(database.db);
    const { read, found } = await database.db.transaction().execute(async (db) => {
      const before = await tableReads(db, 'devices');
      const { devices: page } = await lookUpDevices(db, tokenKeys, app.id, 'user-1');
      return { found: page.length, read: (await tableReads(db, 'devices')).rows - before.rows };
    });
    expect(found).toBe(LOOK_UP_DEVICES_MAX);
    expect(read).toBeLessThan(10 * LOOK_UP_DEVICES_MAX);
  });
});

describe('The push token of a device', () => {
  test('the push token of a device is live, with its route and its time, and is not in the reply', async () => {
    const push_token = newToken();
    const id = await register({ push_token });
    const state = await readTokenState(database.db, app.id, id);
    expect(state).toEqual({
      state: 'live',
      route: 'apns_production',
      push_token_type: 'token',
      presented_at: noon.toISOString(),
      retired: [],
    });
    expect(JSON.stringify(state)).not.toContain(push_token);
  });

  test('the push token of a device is retired with the reason and the time', async () => {
    const push_token = newToken();
    const id = await register({ push_token });
    await retire(id, push_token);
    expect(await readTokenState(database.db, app.id, id)).toEqual({
      state: 'retired',
      route: 'apns_production',
      push_token_type: null,
      presented_at: null,
      retired: [
        {
          push_token_type: 'token',
          reason: 'Unregistered',
          retired_at: later.toISOString(),
          presented_at: noon.toISOString(),
          kept: true,
        },
      ],
    });
  });

  test('the push token of a device is set aside if Apple does not know it, until `development` changes', async () => {
    const push_token = newToken();
    const id = await register({ push_token });
    await retire(id, push_token, { reason: 'BadDeviceToken' });
    expect(await readTokenState(database.db, app.id, id)).toMatchObject({ state: 'set_aside' });
    await update(id, { development: true });
    expect(await readTokenState(database.db, app.id, id)).toMatchObject({
      state: 'live',
      route: 'apns_sandbox',
      retired: [],
    });
  });

  test('a replaced push token is listed, without the device losing its state', async () => {
    const id = await register();
    await update(id, { push_token: newToken() });
    expect(await readTokenState(database.db, app.id, id)).toMatchObject({
      state: 'live',
      retired: [{ reason: 'replaced', kept: false }],
    });
  });

  test('a push token that another device took is not listed', async () => {
    const push_token = newToken();
    const id = await register({ push_token });
    await update(await register(), { push_token });
    expect(await readTokenState(database.db, app.id, id)).toMatchObject({ state: 'none', retired: [] });
  });

  test.each([randomUUID(), 'x'])('the push token of the unknown device %s is not found', async (id) => {
    await expect(readTokenState(database.db, app.id, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
