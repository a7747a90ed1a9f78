import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { readDevice } from '../../src/devices/read.ts';
import { registerDevice } from '../../src/devices/register.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { tokenKeys } from '../support/token-keys.ts';

const database = useTestDatabase();
const noon = new Date('2026-11-21T12:00:00.000Z');
const justBefore = new Date(noon.getTime() - 1);
const reason = 'Unregistered';
const nowhere = '00000000-0000-4000-8000-000000000000';

let appId: string;
beforeAll(async () => {
  appId = (await insertApp(database.db)).id;
});

async function newDevice(): Promise<{ appId: string; deviceId: string; pushToken: string }> {
  const pushToken = randomBytes(32).toString('hex');
  const registration = parseRegistration({ platform: 'iOS', push_token: pushToken });
  const { device } = await registerDevice(database.db, tokenKeys, appId, registration, () => noon);
  return { appId, deviceId: device.id, pushToken };
}

async function tokenOf(deviceId: string): Promise<string | null> {
  return (await readDevice(database.db, appId, deviceId)).push_token;
}

describe('retireTokens', () => {
  test.each([
    ['the gateway gives no time', null, true],
    ['it was presented when the gateway says it died', noon, true],
    ['it was presented after the gateway says it died', justBefore, false],
  ])('where %s', async (_when, deadSince, isRetired) => {
    const device = await newDevice();
    expect(await retireTokens(database.db, tokenKeys, [{ ...device, deadSince, reason }], new Date())).toBe(
      isRetired ? 1 : 0,
    );
    expect(await tokenOf(device.deviceId)).toBe(isRetired ? null : device.pushToken);
  });

  test('leaves a device that has another token by now, and one of another app', async () => {
    const [device, foreign] = [await newDevice(), await newDevice()];
    const other = await insertApp(database.db);
    const told = [
      { ...device, pushToken: 'another', deadSince: null, reason },
      { ...device, deadSince: justBefore, reason },
      { ...foreign, appId: other.id, deadSince: null, reason },
      { ...device, deviceId: nowhere, deadSince: null, reason },
    ];
    expect(await retireTokens(database.db, tokenKeys, told, new Date())).toBe(0);
    expect(await tokenOf(device.deviceId)).toBe(device.pushToken);
    expect(await tokenOf(foreign.deviceId)).toBe(foreign.pushToken);
  });

  test('takes many at once, one told twice, and none at all', async () => {
    const devices = await Promise.all(Array.from({ length: 30 }, newDevice));
    const told = devices.map((device, index) => ({
      ...device,
      deadSince: index % 2 === 0 ? noon : justBefore,
      reason,
    }));
    expect(await retireTokens(database.db, tokenKeys, [...told, ...told], new Date())).toBe(15);
    for (const [index, device] of devices.entries()) {
      expect(await tokenOf(device.deviceId)).toBe(index % 2 === 0 ? null : device.pushToken);
    }
    expect(await retireTokens(database.db, tokenKeys, [], new Date())).toBe(0);
  });

  test('twenty times at once over the same devices, in any order, retires each once', async () => {
    const devices = await Promise.all(Array.from({ length: 30 }, newDevice));
    const told = devices.map(({ deviceId, pushToken }) => ({
      appId,
      deviceId,
      pushToken,
      deadSince: null,
      reason,
    }));
    const retired = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        retireTokens(
          database.db,
          tokenKeys,
          [...told.slice(index), ...told.slice(0, index)].toReversed(),
          new Date(),
        ),
      ),
    );
    expect(retired.reduce((sum, count) => sum + count)).toBe(30);
  });

  test('is undone with the transaction that it is part of', async () => {
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
});
