import { beforeAll, expect, test } from 'vitest';
import { openTokenKeys } from '../../src/apps/token-keys.ts';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { readDevice } from '../../src/devices/read.ts';
import { registerDevice } from '../../src/devices/register-device.ts';
import { newToken } from '../support/push-token.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import type { CommandResult } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { useCommandLine } from './command-line.ts';

const { database, secret, run } = useCommandLine();

let app: { id: string; bundleId: string };
beforeAll(async () => {
  app = await insertApp(database.db);
});

async function restore(...options: string[]): Promise<CommandResult> {
  return run('devices', 'restore', '--app', app.bundleId, ...options);
}

/** One that a gateway has retired just now. */
async function retiredDevice(reason: string): Promise<{ id: string; pushToken: string }> {
  const { db } = database;
  const tokenKeys = openTokenKeys(db, secret);
  const pushToken = newToken();
  const reported = parseRegistration({ platform: 'iOS', push_token: pushToken });
  const { device } = await registerDevice(db, tokenKeys, app.id, reported, () => new Date());
  const dead = { appId: app.id, deviceId: device.id, pushToken, deadSince: null, reason };
  expect(await retireTokens(db, tokenKeys, [dead], new Date())).toBe(1);
  return { id: device.id, pushToken };
}

test('carillon devices restore counts with --dry-run, and then gives back the tokens that a reason has retired', async () => {
  const bad = await retiredDevice('BadDeviceToken');
  const gone = await retiredDevice('Unregistered');
  const since = new Date(Date.now() - 60_000).toISOString();
  const options = ['--since', since, '--reason', 'BadDeviceToken'];
  expect(await restore(...options, '--dry-run', '--json')).toMatchObject({
    code: 0,
    stdout: '{"restored":1,"with_another_token":0,"dry_run":true}\n',
  });
  expect(await restore(...options)).toEqual({
    code: 0,
    stdout: '1 devices got their push token back, 0 have another token and keep it\n',
    stderr: '',
  });
  expect(await readDevice(database.db, app.id, bad.id)).toMatchObject({ push_token: bad.pushToken });
  expect(await readDevice(database.db, app.id, gone.id)).toMatchObject({ push_token: null });
});

test('carillon devices restore says what is wrong with a time', async () => {
  expect(await restore('--since', 'yesterday')).toMatchObject({
    code: 1,
    stderr: 'carillon: --since must be an ISO 8601 date or date-time\n',
  });
});
