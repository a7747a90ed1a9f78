import { expect, test } from 'vitest';
import { newToken } from '../support/push-token.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { insertApp } from '../support/database.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { noon, nowhere, useDevices } from './devices-of-app.ts';

const { database, app, register, read } = useDevices();

const justBefore = new Date(noon.getTime() - 1);
const reason = 'Unregistered';

async function newDevice(): Promise<{ appId: string; deviceId: string; pushToken: string }> {
  const pushToken = newToken();
  const { device } = await register({ push_token: pushToken });
  return { appId: app.id, deviceId: device.id, pushToken };
}

async function tokenOf(deviceId: string): Promise<string | null> {
  return (await read(deviceId)).push_token;
}

test.each([
  ['the gateway gives no time', null, true],
  ['it was presented at the gateway’s time of death', noon, true],
  ['it was presented after the gateway’s time of death', justBefore, false],
])('the time decides whether a token is retired: %s', async (_when, deadSince, isRetired) => {
  const device = await newDevice();
  expect(await retireTokens(database.db, tokenKeys, [{ ...device, deadSince, reason }], new Date())).toBe(
    isRetired ? 1 : 0,
  );
  expect(await tokenOf(device.deviceId)).toBe(isRetired ? null : device.pushToken);
});

test('a device that has a new token is left alone, and so is a device of another app', async () => {
  const [device, foreign] = [await newDevice(), await newDevice()];
  const other = await insertApp(database.db);
  const dead = [
    { ...device, pushToken: 'another', deadSince: null, reason },
    { ...device, deadSince: justBefore, reason },
    { ...foreign, appId: other.id, deadSince: null, reason },
    { ...device, deviceId: nowhere, deadSince: null, reason },
  ];
  expect(await retireTokens(database.db, tokenKeys, dead, new Date())).toBe(0);
  expect(await tokenOf(device.deviceId)).toBe(device.pushToken);
  expect(await tokenOf(foreign.deviceId)).toBe(foreign.pushToken);
});

test('many tokens, repeated tokens and no token can be retired in one call', async () => {
  const devices = await Promise.all(Array.from({ length: 30 }, newDevice));
  const dead = devices.map((device, index) => ({
    ...device,
    deadSince: index % 2 === 0 ? noon : justBefore,
    reason,
  }));
  expect(await retireTokens(database.db, tokenKeys, [...dead, ...dead], new Date())).toBe(15);
  for (const [index, device] of devices.entries()) {
    expect(await tokenOf(device.deviceId)).toBe(index % 2 === 0 ? null : device.pushToken);
  }
  expect(await retireTokens(database.db, tokenKeys, [], new Date())).toBe(0);
});

test('each token is retired once under twenty concurrent calls in any order', async () => {
  const devices = await Promise.all(Array.from({ length: 30 }, newDevice));
  const dead = devices.map((device) => Object.assign(device, { deadSince: null, reason }));
  const retired = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      retireTokens(
        database.db,
        tokenKeys,
        [...dead.slice(index), ...dead.slice(0, index)].toReversed(),
        new Date(),
      ),
    ),
  );
  expect(retired.reduce((sum, count) => sum + count)).toBe(30);
});

test('the retirement of a token is rolled back with its transaction', async () => {
  const device = await newDevice();
  const rollback = new Error('rollback');
  await expect(
    database.db.transaction().execute(async (trx) => {
      expect(await retireTokens(trx, tokenKeys, [{ ...device, deadSince: null, reason }], new Date())).toBe(
        1,
      );
      throw rollback;
    }),
  ).rejects.toBe(rollback);
  expect(await tokenOf(device.deviceId)).toBe(device.pushToken);
});
