import { describe, expect, test } from 'vitest';
import { restoreTokens, type RestoreOptions, wipeOldTokens } from '../../src/devices/tokens/restore.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { tokenKey, tokenKeys } from '../support/token-keys.ts';
import { noon, useDevices } from './devices-of-app.ts';
import { lineOf } from './import/lines.ts';

const { database, app, register, read, importText, stored, retire: report } = useDevices();

const DAY_MS = 24 * 60 * 60_000;
const never = new AbortController().signal;

function daysAgo(days: number): Date {
  return new Date(noon.getTime() - days * DAY_MS);
}

async function newDevice(pushToken = newToken()): Promise<{ id: string; pushToken: string }> {
  const { device } = await register({ push_token: pushToken }, daysAgo(60));
  return { id: device.id, pushToken };
}

async function retire(
  device: { id: string; pushToken: string },
  { reason = 'BadDeviceToken', at = noon } = {},
): Promise<void> {
  expect(await report(device.id, device.pushToken, { reason, at })).toBe(1);
}

async function restore(options: Partial<RestoreOptions> = {}) {
  return restoreTokens(database.db, { appId: app.id, tokenKey, ...options }, () => noon);
}

async function tokenOf(id: string): Promise<string | null> {
  return (await read(id)).push_token;
}

describe('restoring retired tokens', () => {
  test('each retired token is given back to its device once, with the time at which it was presented', async () => {
    const device = await newDevice();
    await retire(device);
    expect(await restore()).toEqual({ restored: 1, withAnotherToken: 0 });
    expect(await tokenOf(device.id)).toBe(device.pushToken);
    expect(await restore()).toEqual({ restored: 0, withAnotherToken: 0 });
    expect(await report(device.id, device.pushToken, { deadSince: daysAgo(61) })).toBe(0);
    expect(await report(device.id, device.pushToken, { deadSince: daysAgo(59) })).toBe(1);
  });

  test('devices that have a new token are skipped and counted', async () => {
    const [device, other] = [await newDevice(), newToken()];
    await retire(device);
    await register({ push_token: other, id: device.id });
    expect(await restore()).toEqual({ restored: 0, withAnotherToken: 1 });
    expect(await tokenOf(device.id)).toBe(other);
  });

  test('a device that lost several tokens gets the last one back', async () => {
    const device = await newDevice();
    await retire(device, { at: daysAgo(2) });
    const next = newToken();
    await register({ push_token: next, id: device.id });
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
    await importText(tokens.map((push_token) => lineOf({ push_token })).join('\n'), daysAgo(60));
    const before = await stored();
    const dead = [...before.values()].map(({ id, push_token: pushToken }) => ({
      appId: app.id,
      deviceId: id,
      pushToken: pushToken ?? '',
      deadSince: null,
      reason: 'BadDeviceToken',
    }));
    expect(await retireTokens(database.db, tokenKeys, dead, noon)).toBe(2_300);
    const registered = tokens.slice(0, 100).map(async (push_token) => register({ push_token }));
    const restoring = Promise.all([restore(), restore()]);
    for (const { created } of await Promise.all(registered)) expect(created).toBe(false);
    await restoring;
    const idsOf = (devices: typeof before): unknown =>
      new Map([...devices].map(([token, { id }]) => [token, id]));
    expect(idsOf(await stored())).toEqual(idsOf(before));
  });
});

test('a retired token is wiped after 30 days, and its hash still leads to its device', async () => {
  const [old, young] = [await newDevice(), await newDevice()];
  await retire(old, { at: new Date(daysAgo(30).getTime() - 1) });
  await retire(young, { at: daysAgo(30) });
  expect(await wipeOldTokens(database.db, () => noon, never)).toBe(1);
  expect(await wipeOldTokens(database.db, () => noon, never)).toBe(0);
  expect(await restore()).toEqual({ restored: 1, withAnotherToken: 0 });
  expect([await tokenOf(old.id), await tokenOf(young.id)]).toEqual([null, young.pushToken]);
  const { device, created } = await register({ push_token: old.pushToken });
  expect({ created, id: device.id }).toEqual({ created: false, id: old.id });
});
