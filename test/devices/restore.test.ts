import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { readDevice } from '../../src/devices/read.ts';
import { registerDevice } from '../../src/devices/register-device.ts';
import { restoreTokens, type RestoreOptions, wipeOldTokens } from '../../src/devices/tokens/restore.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { tokenKey, tokenKeys } from '../support/token-keys.ts';
import { chunksOf } from './import/lines.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const never = new AbortController().signal;

let appId: string;
beforeEach(async () => {
  appId = (await insertApp(database.db)).id;
});

function newToken(): string {
  return randomBytes(32).toString('hex');
}

function daysAgo(days: number): Date {
  return new Date(noon.getTime() - days * DAY_MS);
}

async function newDevice(pushToken = newToken()): Promise<{ id: string; pushToken: string }> {
  const registration = parseRegistration({ platform: 'iOS', push_token: pushToken });
  const { device } = await registerDevice(database.db, tokenKeys, appId, registration, () => daysAgo(60));
  return { id: device.id, pushToken };
}

async function retire(
  device: { id: string; pushToken: string },
  { reason = 'BadDeviceToken', at = noon } = {},
): Promise<void> {
  const dead = { appId, deviceId: device.id, pushToken: device.pushToken, deadSince: null, reason };
  expect(await retireTokens(database.db, tokenKeys, [dead], at)).toBe(1);
}

async function restore(options: Partial<RestoreOptions> = {}) {
  return restoreTokens(database.db, { appId, tokenKey, ...options }, () => noon);
}

async function tokenOf(id: string): Promise<string | null> {
  return (await readDevice(database.db, appId, id)).push_token;
}

describe('restoring retired tokens', () => {
  test('each retired token is given back to its device once, with the time at which it was presented', async () => {
    const device = await newDevice();
    await retire(device);
    expect(await restore()).toEqual({ restored: 1, withAnotherToken: 0 });
    expect(await tokenOf(device.id)).toBe(device.pushToken);
    expect(await restore()).toEqual({ restored: 0, withAnotherToken: 0 });
    const presentedBefore = { ...device, appId, deviceId: device.id, deadSince: daysAgo(61), reason: 'x' };
    expect(await retireTokens(database.db, tokenKeys, [presentedBefore], noon)).toBe(0);
    const presentedAfter = { ...presentedBefore, deadSince: daysAgo(59) };
    expect(await retireTokens(database.db, tokenKeys, [presentedAfter], noon)).toBe(1);
  });

  test('devices that have a new token are skipped and counted', async () => {
    const [device, other] = [await newDevice(), newToken()];
    await retire(device);
    const sent = { platform: 'iOS', push_token: other, id: device.id };
    await registerDevice(database.db, tokenKeys, appId, parseRegistration(sent), () => noon);
    expect(await restore()).toEqual({ restored: 0, withAnotherToken: 1 });
    expect(await tokenOf(device.id)).toBe(other);
  });

  test('a device that lost several tokens gets the last one back', async () => {
    const device = await newDevice();
    await retire(device, { at: daysAgo(2) });
    const next = newToken();
    const sent = { platform: 'iOS', push_token: next, id: device.id };
    await registerDevice(database.db, tokenKeys, appId, parseRegistration(sent), () => noon);
    await retire({ id: device.id, pushToken: next }, { at: daysAgo(1) });
    expect(await restore()).toEqual({ restored: 1, withAnotherToken: 0 });
    expect(await tokenOf(device.id)).toBe(next);
  });

  test.each<[string, Partial<RestoreOptions>, boolean]>([
    ['retired since', { since: daysAgo(3) }, true],
    ['not retired since', { since: daysAgo(1) }, false],
    ['of that reason', { reason: 'BadDeviceToken' }, true],
    ['of another reason', { reason: 'Unregistered' }, false],
  ])('a restore selects by time and reason: tokens %s', async (_which, options, isRestored) => {
    const device = await newDevice();
    await retire(device, { at: daysAgo(2) });
    expect(await restore({ ...options, isDryRun: true })).toMatchObject({ restored: isRestored ? 1 : 0 });
    expect(await tokenOf(device.id)).toBeNull();
    expect(await restore(options)).toMatchObject({ restored: isRestored ? 1 : 0 });
    expect(await tokenOf(device.id)).toBe(isRestored ? device.pushToken : null);
  });

  test('the retired tokens of other apps stay retired', async () => {
    const device = await newDevice();
    await retire(device);
    const other = await insertApp(database.db);
    expect(await restore({ appId: other.id })).toEqual({ restored: 0, withAnotherToken: 0 });
    expect(await tokenOf(device.id)).toBeNull();
  });

  test('thousands of tokens are restored in steps while other calls change the devices', async () => {
    const tokens = Array.from({ length: 2_300 }, newToken);
    const lines = tokens.map((push_token) => JSON.stringify({ platform: 'iOS', push_token })).join('\n');
    await importDevices(database.db, tokenKeys, appId, chunksOf(lines), () => daysAgo(60));
    const { rows } = await sql<{ id: string; token: string }>`
      select id, push_token as token from devices where app_id = ${appId}`.execute(database.db);
    const dead = rows.map(({ id, token }) => ({
      appId,
      deviceId: id,
      pushToken: token,
      deadSince: null,
      reason: 'BadDeviceToken',
    }));
    expect(await retireTokens(database.db, tokenKeys, dead, noon)).toBe(2_300);
    const registered = tokens.slice(0, 100).map(async (push_token) => {
      const registration = parseRegistration({ platform: 'iOS', push_token });
      return registerDevice(database.db, tokenKeys, appId, registration, () => noon);
    });
    const restoring = Promise.all([restore(), restore()]);
    for (const { created } of await Promise.all(registered)) expect(created).toBe(false);
    await restoring;
    const { rows: after } = await sql<{ id: string; token: string }>`
      select id, push_token as token from devices where app_id = ${appId}`.execute(database.db);
    expect(new Map(after.map(({ id, token }) => [id, token]))).toEqual(
      new Map(rows.map(({ id, token }) => [id, token])),
    );
  });
});

describe('after 30 days', () => {
  test('a retired token is wiped after 30 days, and its hash still leads to its device', async () => {
    const [old, young] = [await newDevice(), await newDevice()];
    await retire(old, { at: new Date(daysAgo(30).getTime() - 1) });
    await retire(young, { at: daysAgo(30) });
    expect(await wipeOldTokens(database.db, () => noon, never)).toBe(1);
    expect(await wipeOldTokens(database.db, () => noon, never)).toBe(0);
    expect(await restore()).toEqual({ restored: 1, withAnotherToken: 0 });
    expect([await tokenOf(old.id), await tokenOf(young.id)]).toEqual([null, young.pushToken]);
    const registration = parseRegistration({ platform: 'iOS', push_token: old.pushToken });
    const { device, created } = await registerDevice(database.db, tokenKeys, appId, registration, () => noon);
    expect({ created, id: device.id }).toEqual({ created: false, id: old.id });
  });
});
