/** A device keeps its identity while its token is retired, returns, or changes. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Device } from '../../src/devices/device.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { untilWaiting } from '../support/statements.ts';
import { later, noon, nowhere, useDevices } from './devices-of-app.ts';
import { lineOf } from './import/lines.ts';

const { database, app, read, retire, importText, count, ...devices } = useDevices();

const register = async (device: object, appId = app.id) => devices.register(device, later, appId);
const update = async (id: string, device: object) => devices.update(id, device);
const importLines = async (...lines: object[]) => importText(lines.map(lineOf).join('\n'), later);

/** Registers a device with attributes and an event, at `noon`. */
async function newDevice(pushToken = newToken()): Promise<Device> {
  const attributes = {
    tags: ['beta'],
    custom: { plan: { type: 'string', value: 'gold' } },
    user_id: 'user-1',
  };
  const { device } = await devices.register({ push_token: pushToken, ...attributes });
  await devices.record(device.id, 'purchase');
  return read(device.id);
}

describe('a token that was retired and is registered again', () => {
  test('a device whose retired token is registered again is the same, with its attributes, tags and events', async () => {
    const pushToken = newToken();
    const before = await newDevice(pushToken);
    expect(await retire(before.id, pushToken)).toBe(1);
    const { device, created } = await register({ push_token: pushToken, locale: 'en_GB' });
    expect(created).toBe(false);
    expect(device).toEqual({ ...before, locale: 'en_GB', registered_at: later.toISOString() });
    expect(await read(before.id)).toEqual(device);
    expect([await count(), await count('retired_tokens')]).toEqual([1, 0]);
  });

  test('a device is the same each time a token returns, and is retired again by a later report of a gateway', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    for (let time = 0; time < 3; time++) {
      expect(await retire(id, pushToken)).toBe(1);
      expect(await retire(id, pushToken)).toBe(0);
      expect(await register({ push_token: pushToken })).toMatchObject({ created: false, device: { id } });
    }
  });

  test('a retired token leads to the device that had it last, also if that device has a new token', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first);
    await update(id, { push_token: second });
    expect((await register({ push_token: first })).device).toMatchObject({ id, push_token: first });
    expect((await register({ push_token: second })).device).toMatchObject({ id, push_token: second });
    expect(await count()).toBe(1);
  });

  test.each([
    ['before', false],
    ['after', true],
  ])(
    'a retired token leads to the device that took it over %s it was retired',
    async (_when, isRetiredFirst) => {
      const pushToken = newToken();
      const [first, second] = [await newDevice(pushToken), await newDevice()];
      if (isRetiredFirst) await retire(first.id, pushToken);
      await update(second.id, { push_token: pushToken });
      expect(await read(first.id)).toMatchObject({ push_token: null });
      if (!isRetiredFirst) await retire(second.id, pushToken);
      expect((await register({ push_token: pushToken })).device.id).toBe(second.id);
      expect(await read(first.id)).toMatchObject({ push_token: null });
    },
  );

  test('a retired token of an erased device makes a new device, and erasing deletes the hash', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    await devices.erase(id);
    expect(await count('retired_tokens')).toBe(0);
    const { device, created } = await register({ push_token: pushToken });
    expect(created).toBe(true);
    expect(device.id).not.toBe(id);
  });

  test('a retired token makes a new device in another app', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    const other = await insertApp(database.db);
    expect(await register({ push_token: pushToken }, other.id)).toMatchObject({ created: true });
  });

  test('a retired token leads to one device after thirty concurrent registrations and imports', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    const calls = Array.from({ length: 30 }, async (_, index) =>
      index % 3 === 0
        ? importLines({ push_token: pushToken, badge: index })
        : register({ push_token: pushToken, badge: index }),
    );
    const answers = await Promise.all(calls);
    for (const answer of answers) {
      if ('device' in answer) expect(answer).toMatchObject({ created: false, device: { id } });
      else expect(answer).toMatchObject({ imported: 0, rejected_count: 0 });
    }
    expect(await count()).toBe(1);
  });

  test.each([
    ['registered', async (token: string) => register({ push_token: token })],
    ['imported', async (token: string) => importLines({ push_token: token, badge: 1 })],
  ])('a token that is %s while it is being retired leads to the same device', async (_how, present) => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    let presenting: Promise<unknown> | undefined;
    await database.db.transaction().execute(async (trx) => {
      expect(await retire(id, pushToken, { db: trx })).toBe(1);
      presenting = present(pushToken);
      await untilWaiting(database.db);
    });
    await presenting;
    expect(await read(id)).toMatchObject({ push_token: pushToken });
    expect(await count()).toBe(1);
  });
});

describe('a line of an import with a token that was retired', () => {
  test('a line with a retired token gives it back to its device, which is updated', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first);
    const result = await importLines({ push_token: first, badge: 7 }, { push_token: second });
    expect(result).toMatchObject({ imported: 1, updated: 1, rejected_count: 0 });
    expect(await read(id)).toMatchObject({ push_token: first, badge: 7, tags: ['beta'] });
    expect(await importLines({ push_token: first, badge: 7 })).toMatchObject({ unchanged: 1 });
  });

  test('a line with a retired token of a device with a new token is rejected: an import may be out of date', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await update(id, { push_token: second });
    expect(await importLines({ push_token: first })).toMatchObject({
      rejected: [{ line: 1, error: 'push_token is an old token of a device that has a new one' }],
    });
    expect(await read(id)).toMatchObject({ push_token: second });
  });

  test('lines with retired tokens of one device are accepted once in an import, and then rejected', async () => {
    const [first, second] = [newToken(), newToken()].toSorted();
    const { id } = await newDevice(first);
    await retire(id, first ?? '');
    await update(id, { push_token: second });
    await retire(id, second ?? '');
    const result = await importLines({ push_token: first }, { push_token: second });
    expect(result).toMatchObject({ imported: 0, updated: 1, rejected: [{ line: 2 }] });
    expect(await read(id)).toMatchObject({ push_token: first });
  });

  test('a token that a line gave back is retired again by a gateway’s report with a later time', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    await importLines({ push_token: pushToken });
    expect(await retire(id, pushToken, { deadSince: noon })).toBe(1);
  });
});

describe('a device whose token changes', () => {
  test('a device with a new token keeps its identity if the app sends the id from an earlier registration', async () => {
    const { id } = await newDevice();
    const pushToken = newToken();
    const { device, created } = await register({ push_token: pushToken, id: id.toUpperCase() });
    expect({ created, device }).toMatchObject({
      created: false,
      device: { id, push_token: pushToken, tags: ['beta'] },
    });
  });

  test.each([
    ['has', false],
    ['had until it was retired', true],
  ])(
    'a device with a new token keeps its identity if the app sends the token that it %s',
    async (_which, isRetired) => {
      const [first, second] = [newToken(), newToken()];
      const { id } = await newDevice(first);
      if (isRetired) await retire(id, first);
      const change = { push_token: second, previous_push_token: first.toUpperCase() };
      for (let time = 0; time < 2; time++) {
        expect(await register(change)).toMatchObject({ created: false, device: { id, push_token: second } });
      }
      expect((await register({ push_token: first })).device.id).toBe(id);
    },
  );

  test('a device with a new token keeps its identity under twenty such concurrent calls', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    const hints = [{ id }, { previous_push_token: first }, { id, previous_push_token: first }];
    const calls = Array.from({ length: 20 }, async (_, index) =>
      register({ push_token: second, ...hints[index % hints.length] }),
    );
    for (const { device } of await Promise.all(calls)) expect(device.id).toBe(id);
    expect(await count()).toBe(1);
  });

  test.each([
    ['an unknown id', { id: nowhere }],
    ['a malformed id', { id: 42 }],
    ['an unknown token', { previous_push_token: newToken() }],
  ])('a new device is registered if the app sends %s', async (_what, hint) => {
    const pushToken = newToken();
    expect(await register({ push_token: pushToken, ...hint })).toMatchObject({ created: true });
    expect(await register({ push_token: pushToken, ...hint })).toMatchObject({ created: false });
  });

  test('a registration with the id of an erased device is refused, whatever else is sent', async () => {
    const { id } = await newDevice();
    const pushToken = newToken();
    await newDevice(pushToken);
    await devices.erase(id);
    for (const push_token of [pushToken, newToken()]) {
      await expect(register({ push_token, id })).rejects.toMatchObject({ code: 'device_erased' });
    }
    expect(await count()).toBe(1);
  });

  test('a registration finds its device by its id, else its token, else its previous token', async () => {
    const [first, second, third] = [newToken(), newToken(), newToken()];
    const { id: a } = await newDevice(first);
    const { id: b } = await newDevice(second);
    const { id: c } = await newDevice(third);
    const byToken = await register({ push_token: second, previous_push_token: third });
    expect(byToken.device.id).toBe(b);
    const byId = await register({ push_token: second, previous_push_token: third, id: a });
    expect(byId.device).toMatchObject({ id: a, push_token: second });
    expect(await read(b)).toMatchObject({ push_token: null });
    expect(await read(c)).toMatchObject({ push_token: third });
    await retire(a, second);
    expect((await register({ push_token: second, previous_push_token: third })).device.id).toBe(a);
  });

  test('an import finds a device by its token only', async () => {
    expect(await importLines({ push_token: newToken(), previous_push_token: newToken() })).toMatchObject({
      rejected: [{ line: 1, error: 'previous_push_token is accepted only by POST /v6/devices' }],
    });
  });
});

describe('a token that was set aside by BadDeviceToken', () => {
  test('a token that was set aside is given back when `development` changes, in either direction', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    for (const development of [true, false, true]) {
      await retire(id, pushToken, { reason: 'BadDeviceToken' });
      expect(await read(id)).toMatchObject({ push_token: null });
      expect(await update(id, { development })).toMatchObject({ push_token: pushToken, development });
    }
    expect(await count('retired_tokens')).toBe(0);
  });

  test.each<[string, object, string]>([
    ['the environment stays', { development: false }, 'BadDeviceToken'],
    ['the environment is left out', { badge: 1 }, 'BadDeviceToken'],
    ['the token is given up in the same call', { development: true, push_token: null }, 'BadDeviceToken'],
    ['the app was uninstalled', { development: true }, 'Unregistered'],
    ['the token is of another app', { development: true }, 'DeviceTokenNotForTopic'],
  ])('a token stays set aside if %s', async (_why, change, reason) => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken, { reason });
    expect(await update(id, change)).toMatchObject({ push_token: null });
    expect(await count('retired_tokens')).toBe(1);
  });

  test('a token stays set aside if the device has a new token, or gets one in the same call', async () => {
    const [first, second, third] = [newToken(), newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first, { reason: 'BadDeviceToken' });
    expect(await update(id, { development: true, push_token: second })).toMatchObject({ push_token: second });
    expect(await update(id, { development: false })).toMatchObject({ push_token: second });
    await retire(id, second, { reason: 'BadDeviceToken' });
    await register({ push_token: third, id });
    expect(await read(id)).toMatchObject({ push_token: third });
  });

  test('a token that was set aside is given back once under twenty concurrent calls', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken, { reason: 'BadDeviceToken' });
    const calls = Array.from({ length: 20 }, async () => update(id, { development: true }));
    for (const device of await Promise.all(calls)) expect(device.push_token).toBe(pushToken);
  });
});

function android(device: object): object {
  return { platform: 'Android', ...device };
}

describe('an installation id', () => {
  const fid = 'cAbCdEfGhIjKlMnOpQr-_9';

  test.each<[string, object, string]>([
    ['recognised by its form', { push_token: fid }, 'fid'],
    ['declared by the app', { push_token: fid, push_token_type: 'fid' }, 'fid'],
    ['denied by the app', { push_token: fid, push_token_type: 'token' }, 'token'],
    ['the beginning of a registration token', { push_token: `${fid}:APA91bF` }, 'token'],
  ])('the type of an installation id is stored when it is %s', async (_how, sent, type) => {
    const { device } = await register(android(sent));
    expect(device.push_token_type).toBe(type);
    expect(await importLines(android(sent))).toMatchObject({ unchanged: 1 });
    const other = await insertApp(database.db);
    await importText(JSON.stringify(android(sent)), later, { appId: other.id });
    const stored = await database.db
      .selectFrom('devices')
      .select('push_token_type')
      .where('app_id', '=', other.id)
      .execute();
    expect(stored).toEqual([{ push_token_type: type }]);
  });

  test('an installation id replaces a registration token on the same device', async () => {
    const token = `${fid}:APA91bF`;
    const { device } = await register(android({ push_token: token, tags: ['beta'] }));
    const moved = await register(android({ push_token: fid, previous_push_token: token }));
    expect(moved).toMatchObject({ created: false });
    expect(moved.device).toMatchObject({ id: device.id, push_token_type: 'fid', tags: ['beta'] });
    expect(await update(device.id, { push_token: token })).toMatchObject({ push_token_type: 'token' });
    expect(await update(device.id, { push_token_type: 'fid' })).toMatchObject({ push_token_type: 'token' });
  });

  test('an installation id keeps its type when its device loses it and gets it back', async () => {
    const sent = { push_token: fid, push_token_type: 'token' };
    const { device } = await register(android(sent));
    await retire(device.id, fid, { reason: 'UNREGISTERED' });
    await importLines(android(sent));
    expect(await read(device.id)).toMatchObject(sent);
    const restored = await register(android(sent));
    expect(restored.device).toMatchObject({ id: device.id, ...sent });
  });

  test('an installation id is refused for iOS', async () => {
    const { device } = await register({});
    const message = expect.stringMatching(/^must be token or fcm for iOS/);
    await expect(update(device.id, { push_token_type: 'fid' })).rejects.toMatchObject({
      details: [{ path: 'device.push_token_type', message }],
    });
    await expect(register({ push_token_type: 'fid' })).rejects.toThrow(/must be token or fcm for iOS/);
  });
});

async function newAndroid(pushToken: string): Promise<{ id: string }> {
  const device = await newDevice(pushToken);
  await database.db.updateTable('devices').set({ platform: 'Android' }).where('id', '=', device.id).execute();
  return device;
}

/** Earlier releases took tokens of Apple for Android, so a token may be presented for either platform. */
describe('the platform of a known token', () => {
  const refusal = { path: 'device.platform', message: 'of this device is Android and cannot change' };

  test('a registration does not change the platform of a known token', async () => {
    const pushToken = newToken();
    const { id } = await newAndroid(pushToken);
    const flipped = { platform: 'iOS', push_token: pushToken };
    await expect(register(flipped)).rejects.toMatchObject({ code: 'invalid_request', details: [refusal] });
    await retire(id, pushToken);
    await expect(register(flipped)).rejects.toMatchObject({ details: [refusal] });
    await expect(register({ ...flipped, push_token: newToken(), id })).rejects.toMatchObject({
      details: [refusal],
    });
    expect(await read(id)).toMatchObject({ platform: 'Android', push_token: null });
  });

  test('a line of an import does not change the platform of a known token', async () => {
    const pushToken = newToken();
    const { id } = await newAndroid(pushToken);
    const error = 'platform of this device is Android and cannot change';
    const flipped = { platform: 'iOS', push_token: pushToken };
    expect(await importLines(flipped)).toMatchObject({ rejected: [{ line: 1, error }] });
    await retire(id, pushToken);
    expect(await importLines(flipped)).toMatchObject({ rejected: [{ line: 1, error }] });
    expect(await read(id)).toMatchObject({ platform: 'Android', push_token: null });
    expect(await count()).toBe(1);
  });
});

test('the stored form of a retired token does not contain the token', async () => {
  const pushToken = newToken();
  const { id } = await newDevice(pushToken);
  await retire(id, pushToken);
  const { rows } = await sql<{ text: string }>`
    select retired_tokens::text as text from retired_tokens where app_id = ${app.id}`.execute(database.db);
  expect(rows).toHaveLength(1);
  for (const text of [pushToken, Buffer.from(pushToken).toString('hex')]) {
    expect(rows[0]?.text).not.toContain(text);
  }
});
