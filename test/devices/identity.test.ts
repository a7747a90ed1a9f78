/** A device stays itself: its token may be retired, come back, or change. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../src/devices/device.ts';
import { parseRegistration, parseUpdateBody } from '../../src/devices/device-schema.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { recordDeviceEvents } from '../../src/devices/events/record-events.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { addLine, emptyBatch } from '../../src/devices/import/batch.ts';
import type { ImportReport } from '../../src/devices/import/report.ts';
import { storeBatch } from '../../src/devices/import/store.ts';
import { idsOfImport } from '../../src/devices/import/copy.ts';
import { readDevice } from '../../src/devices/read.ts';
import { registerDevice } from '../../src/devices/register.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { importShare } from '../../src/devices/import/event-loop-share.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { countStatements, untilWaiting } from '../support/statements.ts';
import { tokenKey, tokenKeys } from '../support/token-keys.ts';
import { chunksOf } from './import/lines.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const later = new Date('2026-11-21T13:00:00.000Z');
const nowhere = '00000000-0000-4000-8000-000000000000';

let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

function newToken(): string {
  return randomBytes(32).toString('hex');
}

async function register(
  device: object,
  { db = database.db, app = appId } = {},
): Promise<{ device: Device; created: boolean }> {
  const registration = parseRegistration({ platform: 'iOS', push_token: newToken(), ...device });
  return registerDevice(db, tokenKeys, app, registration, () => later);
}

/** One that has told of itself, as of `noon`. */
async function newDevice(pushToken = newToken()): Promise<Device> {
  const told = { tags: ['beta'], custom: { plan: { type: 'string', value: 'gold' } }, user_id: 'user-1' };
  const registration = parseRegistration({ platform: 'iOS', push_token: pushToken, ...told });
  const { device } = await registerDevice(database.db, tokenKeys, appId, registration, () => noon);
  const events = [{ name: 'purchase', source: undefined, date: undefined }];
  await recordDeviceEvents(database.db, appId, device.id, events, { defaultSource: null }, () => noon);
  return read(device.id);
}

async function retire(deviceId: string, pushToken: string, reason = 'Unregistered'): Promise<number> {
  const dead = { appId, deviceId, pushToken, deadSince: null, reason };
  return retireTokens(database.db, tokenKeys, [dead], later);
}

async function update(id: string, device: object): Promise<Device> {
  return updateDevice(database.db, tokenKeys, appId, id, parseUpdateBody({ device }), () => later);
}

async function read(id: string): Promise<Device> {
  return readDevice(database.db, appId, id);
}

async function importLines(...lines: object[]): Promise<ImportReport> {
  const text = lines.map((line) => JSON.stringify({ platform: 'iOS', ...line })).join('\n');
  return importDevices(database.db, tokenKeys, appId, chunksOf(text), () => later);
}

async function countDevices(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from devices where app_id = ${appId}`.execute(database.db);
  return rows[0]?.count ?? 0;
}

async function countRetired(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from retired_tokens where app_id = ${appId}`.execute(database.db);
  return rows[0]?.count ?? 0;
}

describe('a token that was retired and is registered again', () => {
  test('is the same device, with its attributes, tags and events', async () => {
    const pushToken = newToken();
    const before = await newDevice(pushToken);
    expect(await retire(before.id, pushToken)).toBe(1);
    const { device, created } = await register({ push_token: pushToken, locale: 'en_GB' });
    expect(created).toBe(false);
    expect(device).toEqual({ ...before, locale: 'en_GB', registered_at: later.toISOString() });
    expect(await read(before.id)).toEqual(device);
    expect([await countDevices(), await countRetired()]).toEqual([1, 0]);
  });

  test('is so as often as it dies, and is retired again by what a gateway says later', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    for (let time = 0; time < 3; time++) {
      expect(await retire(id, pushToken)).toBe(1);
      expect(await retire(id, pushToken)).toBe(0);
      expect(await register({ push_token: pushToken })).toMatchObject({ created: false, device: { id } });
    }
  });

  test('is the device that had it last, also where that has got another token since', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first);
    await update(id, { push_token: second });
    expect((await register({ push_token: first })).device).toMatchObject({ id, push_token: first });
    expect((await register({ push_token: second })).device).toMatchObject({ id, push_token: second });
    expect(await countDevices()).toBe(1);
  });

  test('is the device that took it over, where it moved before it died', async () => {
    const pushToken = newToken();
    const { id: first } = await newDevice(pushToken);
    const { id: second } = await newDevice();
    await update(second, { push_token: pushToken });
    expect(await read(first)).toMatchObject({ push_token: null });
    await retire(second, pushToken);
    expect((await register({ push_token: pushToken })).device.id).toBe(second);
  });

  test('is another device’s where that took it over after it died', async () => {
    const pushToken = newToken();
    const { id: first } = await newDevice(pushToken);
    const { id: second } = await newDevice();
    await retire(first, pushToken);
    await update(second, { push_token: pushToken });
    expect((await register({ push_token: pushToken })).device.id).toBe(second);
    expect(await read(first)).toMatchObject({ push_token: null });
  });

  test('is a new device where the old one was erased, of which no hash is left', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    await eraseDevice(database.db, appId, id, () => later);
    expect(await countRetired()).toBe(0);
    const { device, created } = await register({ push_token: pushToken });
    expect(created).toBe(true);
    expect(device.id).not.toBe(id);
  });

  test('is a new device of another app', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    const other = await insertApp(database.db);
    expect(await register({ push_token: pushToken }, { app: other.id })).toMatchObject({ created: true });
  });

  test('is one device where it is registered and imported thirty times at once', async () => {
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
    expect(await countDevices()).toBe(1);
  });

  test.each([
    ['registered', async (token: string) => register({ push_token: token })],
    ['imported', async (token: string) => importLines({ push_token: token, badge: 1 })],
  ])('is the same device where it is %s at the very moment it is being retired', async (_how, present) => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    let presenting: Promise<unknown> | undefined;
    await database.db.transaction().execute(async (trx) => {
      const dead = { appId, deviceId: id, pushToken, deadSince: null, reason: 'Unregistered' };
      expect(await retireTokens(trx, tokenKeys, [dead], later)).toBe(1);
      presenting = present(pushToken);
      await untilWaiting(database.db);
    });
    await presenting;
    expect(await read(id)).toMatchObject({ push_token: pushToken });
    expect(await countDevices()).toBe(1);
  });

  test('is the same device where it is imported among new ones at the very moment it is being retired', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    const batch = emptyBatch('copy');
    for (const [index, push_token] of [newToken(), pushToken, newToken()].entries()) {
      addLine(batch, { number: index, bytes: Buffer.from(JSON.stringify({ platform: 'iOS', push_token })) });
    }
    const context = { appId, tokenKey, newId: idsOfImport(), clock: () => later, share: importShare };
    let storing: Promise<ImportReport> | undefined;
    await database.db.transaction().execute(async (trx) => {
      const dead = { appId, deviceId: id, pushToken, deadSince: null, reason: 'Unregistered' };
      await retireTokens(trx, tokenKeys, [dead], later);
      storing = storeBatch(database.db, context, batch, 'all_new');
      await untilWaiting(database.db);
    });
    expect(await storing).toMatchObject({ imported: 2, updated: 1 });
    expect(await read(id)).toMatchObject({ push_token: pushToken });
    expect(await countDevices()).toBe(3);
  });

  test('costs nothing where there is none: one statement makes a device, and one updates it', async () => {
    const pushToken = newToken();
    const made = countStatements(database.db);
    await register({ push_token: pushToken }, { db: made.db });
    expect(made.count()).toBe(1);
    const updated = countStatements(database.db);
    const { device } = await register({ push_token: pushToken }, { db: updated.db });
    expect(updated.count()).toBe(2); // the second reads its events
    const withId = countStatements(database.db);
    await register({ push_token: pushToken, id: device.id }, { db: withId.db });
    expect(withId.count()).toBe(2);
  });
});

describe('a line of an import with a token that was retired', () => {
  test('gives it back to its device, which is updated', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first);
    const result = await importLines({ push_token: first, badge: 7 }, { push_token: second });
    expect(result).toMatchObject({ imported: 1, updated: 1, rejected_count: 0 });
    expect(await read(id)).toMatchObject({ push_token: first, badge: 7, tags: ['beta'] });
    expect(await importLines({ push_token: first, badge: 7 })).toMatchObject({ unchanged: 1 });
  });

  test('is rejected where its device has another by now: an import may be out of date', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    await update(id, { push_token: second });
    expect(await importLines({ push_token: first })).toMatchObject({
      rejected: [{ line: 1, error: 'push_token is an old one of a device that has another by now' }],
    });
    expect(await read(id)).toMatchObject({ push_token: second });
  });

  test('gives one back where several of one device are in a batch, and rejects the others', async () => {
    const [first, second] = [newToken(), newToken()].toSorted();
    const { id } = await newDevice(first);
    await retire(id, first ?? '');
    await update(id, { push_token: second });
    await retire(id, second ?? '');
    const result = await importLines({ push_token: first }, { push_token: second });
    expect(result).toMatchObject({ imported: 0, updated: 1, rejected: [{ line: 2 }] });
    expect(await read(id)).toMatchObject({ push_token: first });
  });

  test('retired by a time of the gateway later than the import, dies again', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken);
    await importLines({ push_token: pushToken });
    const dead = { appId, deviceId: id, pushToken, deadSince: noon, reason: 'Unregistered' };
    expect(await retireTokens(database.db, tokenKeys, [dead], later)).toBe(1);
  });
});

describe('a device whose token changes', () => {
  test('stays itself where the app tells the id that it was given', async () => {
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
  ])('stays itself where the app tells the token that it %s', async (_which, isRetired) => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    if (isRetired) await retire(id, first);
    const change = { push_token: second, previous_push_token: first.toUpperCase() };
    for (let time = 0; time < 2; time++) {
      expect(await register(change)).toMatchObject({ created: false, device: { id, push_token: second } });
    }
    expect((await register({ push_token: first })).device.id).toBe(id);
  });

  test('stays itself where twenty such calls come at once', async () => {
    const [first, second] = [newToken(), newToken()];
    const { id } = await newDevice(first);
    const hints = [{ id }, { previous_push_token: first }, { id, previous_push_token: first }];
    const calls = Array.from({ length: 20 }, async (_, index) =>
      register({ push_token: second, ...hints[index % hints.length] }),
    );
    for (const { device } of await Promise.all(calls)) expect(device.id).toBe(id);
    expect(await countDevices()).toBe(1);
  });

  test.each([
    ['an id that nobody has', { id: nowhere }],
    ['an id that is none', { id: 42 }],
    ['a token that nobody had', { previous_push_token: newToken() }],
  ])('is registered as any other where the app tells %s', async (_what, hint) => {
    const pushToken = newToken();
    expect(await register({ push_token: pushToken, ...hint })).toMatchObject({ created: true });
    expect(await register({ push_token: pushToken, ...hint })).toMatchObject({ created: false });
  });

  test('is refused by the id of an erased device, whatever else is told', async () => {
    const { id } = await newDevice();
    const pushToken = newToken();
    await newDevice(pushToken);
    await eraseDevice(database.db, appId, id, () => later);
    for (const push_token of [pushToken, newToken()]) {
      await expect(register({ push_token, id })).rejects.toMatchObject({ code: 'device_erased' });
    }
    expect(await countDevices()).toBe(1);
  });

  test('is told by the id, then by its token, then by the one before, where they say different things', async () => {
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

  test('is moved by an import by its token alone', async () => {
    expect(await importLines({ push_token: newToken(), previous_push_token: newToken() })).toMatchObject({
      rejected: [{ line: 1, error: 'previous_push_token is known to POST /v6/devices alone' }],
    });
  });
});

describe('a token that was set aside by BadDeviceToken', () => {
  test('is taken up again where the device is flagged as one of development, or no longer', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    for (const development of [true, false, true]) {
      await retire(id, pushToken, 'BadDeviceToken');
      expect(await read(id)).toMatchObject({ push_token: null });
      expect(await update(id, { development })).toMatchObject({ push_token: pushToken, development });
    }
    expect(await countRetired()).toBe(0);
  });

  test.each<[string, object, string]>([
    ['the environment stays', { development: false }, 'BadDeviceToken'],
    ['nothing is said of it', { badge: 1 }, 'BadDeviceToken'],
    ['the token is given up in the same call', { development: true, push_token: null }, 'BadDeviceToken'],
    ['the app was removed', { development: true }, 'Unregistered'],
    ['the token is of another app', { development: true }, 'DeviceTokenNotForTopic'],
  ])('stays aside where %s', async (_why, change, reason) => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken, reason);
    expect(await update(id, change)).toMatchObject({ push_token: null });
    expect(await countRetired()).toBe(1);
  });

  test('stays aside where the device has another by now, or is told one in the same call', async () => {
    const [first, second, third] = [newToken(), newToken(), newToken()];
    const { id } = await newDevice(first);
    await retire(id, first, 'BadDeviceToken');
    expect(await update(id, { development: true, push_token: second })).toMatchObject({ push_token: second });
    expect(await update(id, { development: false })).toMatchObject({ push_token: second });
    await retire(id, second, 'BadDeviceToken');
    await register({ push_token: third, id });
    expect(await read(id)).toMatchObject({ push_token: third });
  });

  test('is taken up once where twenty calls flag the device at once', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    await retire(id, pushToken, 'BadDeviceToken');
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
    ['told by its form', { push_token: fid }, 'fid'],
    ['told by the app', { push_token: 'any-other-form', push_token_type: 'fid' }, 'fid'],
    ['denied by the app', { push_token: fid, push_token_type: 'token' }, 'token'],
    ['the beginning of a registration token', { push_token: `${fid}:APA91bF` }, 'token'],
  ])('is %s', async (_how, told, type) => {
    const { device } = await register(android(told));
    expect(device.push_token_type).toBe(type);
    expect(await importLines(android(told))).toMatchObject({ unchanged: 1 });
    const other = await insertApp(database.db);
    const line = JSON.stringify(android(told));
    await importDevices(database.db, tokenKeys, other.id, chunksOf(line), () => later);
    const stored = await database.db
      .selectFrom('devices')
      .select('push_token_type')
      .where('app_id', '=', other.id)
      .execute();
    expect(stored).toEqual([{ push_token_type: type }]);
  });

  test('takes the place of a registration token on the same device', async () => {
    const token = `${fid}:APA91bF`;
    const { device } = await register(android({ push_token: token, tags: ['beta'] }));
    const moved = await register(android({ push_token: fid, previous_push_token: token }));
    expect(moved).toMatchObject({ created: false });
    expect(moved.device).toMatchObject({ id: device.id, push_token_type: 'fid', tags: ['beta'] });
    expect(await update(device.id, { push_token: token })).toMatchObject({ push_token_type: 'token' });
    expect(await update(device.id, { push_token_type: 'fid' })).toMatchObject({ push_token_type: 'token' });
  });

  test('is one still after its device lost it and got it back', async () => {
    const { device } = await register(android({ push_token: 'odd', push_token_type: 'fid' }));
    await retire(device.id, 'odd', 'UNREGISTERED');
    await importLines(android({ push_token: 'odd' }));
    expect(await read(device.id)).toMatchObject({ push_token: 'odd' });
    const restored = await register(android({ push_token: 'odd', push_token_type: 'fid' }));
    expect(restored.device).toMatchObject({ id: device.id, push_token_type: 'fid' });
  });

  test('is Google’s: an iOS device has none', async () => {
    const { device } = await register({});
    const refused = { details: [{ path: 'device.push_token_type', message: 'must be token for iOS' }] };
    await expect(update(device.id, { push_token_type: 'fid' })).rejects.toMatchObject(refused);
    expect(() =>
      parseRegistration({ platform: 'iOS', push_token: newToken(), push_token_type: 'fid' }),
    ).toThrow(/must be token for iOS/);
  });
});

describe('the platform of a known token', () => {
  const refusal = { path: 'device.platform', message: 'of this device is iOS and cannot change' };

  test('does not change by a registration', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    const flipped = { platform: 'Android', push_token: pushToken };
    await expect(register(flipped)).rejects.toMatchObject({ code: 'invalid_request', details: [refusal] });
    await retire(id, pushToken);
    await expect(register(flipped)).rejects.toMatchObject({ details: [refusal] });
    await expect(register({ ...flipped, push_token: 'fcm:x', id })).rejects.toMatchObject({
      details: [refusal],
    });
    expect(await read(id)).toMatchObject({ platform: 'iOS', push_token: null });
  });

  test('does not change by a line of an import', async () => {
    const pushToken = newToken();
    const { id } = await newDevice(pushToken);
    const error = 'platform of this device is iOS and cannot change';
    const flipped = { platform: 'Android', push_token: pushToken };
    expect(await importLines(flipped)).toMatchObject({ rejected: [{ line: 1, error }] });
    await retire(id, pushToken);
    expect(await importLines(flipped)).toMatchObject({ rejected: [{ line: 1, error }] });
    expect(await read(id)).toMatchObject({ platform: 'iOS', push_token: null });
    expect(await countDevices()).toBe(1);
  });
});

test('no token is in what is kept of it', async () => {
  const pushToken = newToken();
  const { id } = await newDevice(pushToken);
  await retire(id, pushToken);
  const { rows } = await sql<{ text: string }>`
    select retired_tokens::text as text from retired_tokens where app_id = ${appId}`.execute(database.db);
  expect(rows).toHaveLength(1);
  for (const text of [pushToken, Buffer.from(pushToken).toString('hex')]) {
    expect(rows[0]?.text).not.toContain(text);
  }
});
