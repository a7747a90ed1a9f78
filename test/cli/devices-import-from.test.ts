import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  ANDROID_TOKEN,
  csvOf,
  endpoint,
  IOS_TOKEN,
  row,
} from '../../packages/import-formats/test/exports.ts';
import type { CommandResult } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { useCommandLine } from './command-line.ts';

const { database, run } = useCommandLine();
const dir = useTemporaryDir();

async function importExport(
  app: string,
  from: string,
  contents: string | Uint8Array,
  ...options: string[]
): Promise<CommandResult> {
  const file = path.join(dir.path, newToken());
  await writeFile(file, contents);
  return run('devices', 'import', '--app', app, '--from', from, file, ...options);
}

async function devicesOf(appId: string): Promise<object[]> {
  return database.db
    .selectFrom('devices')
    .select(['platform', 'push_token', 'user_id', 'locale', 'notifications_allowed', 'custom'])
    .where('app_id', '=', appId)
    .orderBy('push_token')
    .execute();
}

const subscriptions = csvOf(
  row,
  { ...row, device_type: '1', identifier: ANDROID_TOKEN, invalid_identifier: 't', notification_types: '-2' },
  { ...row, device_type: '11', identifier: 'ada@example.com' },
  { ...row, identifier: newToken(), invalid_identifier: 't' },
);

test('an import of a compressed export stores its devices, and a second time changes nothing', async () => {
  const { id, bundleId } = await insertApp(database.db);
  const first = await importExport(bundleId, 'onesignal', gzipSync(subscriptions));
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout.split('\n')).toEqual([
    '4 read, 2 imported, 0 updated, 0 unchanged, 0 rejected, 2 left out',
    'left out: 1 (lines 4): not a push to iOS or Android: e-mail',
    'left out: 1 (lines 5): unsubscribed, or its token is dead (invalid_identifier)',
    ...['id', 'session_count', 'timezone', 'last_active', 'created_at'].map(
      (field) => `not mapped: ${field} of 2: devices have no such attribute`,
    ),
    '',
  ]);
  const custom = { plan: { type: 'string', value: 'gold' }, level: { type: 'string', value: '4' } };
  const common = { user_id: 'user-17', locale: 'en_US', custom };
  expect(await devicesOf(id)).toEqual([
    { platform: 'iOS', push_token: IOS_TOKEN, notifications_allowed: 'Enabled', ...common },
    { platform: 'Android', push_token: ANDROID_TOKEN, notifications_allowed: 'Disabled', ...common },
  ]);
  const second = await importExport(bundleId, 'onesignal', subscriptions);
  expect(second.stdout).toMatch(/^4 read, 0 imported, 0 updated, 2 unchanged, 0 rejected, 2 left out\n/);
});

test('an import of an export prints the same as one JSON value with --json', async () => {
  const { bundleId } = await insertApp(database.db);
  const { code, stdout } = await importExport(bundleId, 'onesignal', subscriptions, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    read: 4,
    imported: 2,
    updated: 0,
    unchanged: 0,
    rejected_count: 0,
    rejected: [],
    left_out_count: 2,
    left_out: [
      { reason: 'not a push to iOS or Android: e-mail', count: 1, lines: [4] },
      { reason: 'unsubscribed, or its token is dead (invalid_identifier)', count: 1, lines: [5] },
    ],
    not_mapped: expect.arrayContaining([
      { field: 'session_count', reason: 'devices have no such attribute', count: 2 },
    ]),
  });
});

test('an import of an export with --dry-run says what it would do, and stores nothing', async () => {
  const { id, bundleId } = await insertApp(database.db);
  const { code, stdout } = await importExport(bundleId, 'onesignal', subscriptions, '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^4 read, 2 valid, 0 would be rejected; nothing was stored, 2 left out\n/);
  expect(await devicesOf(id)).toEqual([]);
});

test('an import of an export prints no token, address or value of an attribute', async () => {
  const { bundleId } = await insertApp(database.db);
  const secrets = [
    IOS_TOKEN,
    ANDROID_TOKEN,
    'ada@example.com',
    'gold',
    'user-17',
    'not-a-token',
    'Mars/Base',
  ];
  const odd = { ...row, identifier: 'not-a-token' };
  const zone = { ...row, identifier: newToken(), timezone_id: 'Mars/Base', tags: 'gold' };
  const file = `${subscriptions}${csvOf(odd, zone).split('\n').slice(1).join('\n')}`;
  for (const options of [[], ['--json'], ['--dry-run']]) {
    const { stdout, stderr } = await importExport(bundleId, 'onesignal', file, ...options);
    expect(stdout).toContain('must be an even number of hexadecimal digits for iOS');
    expect(stdout).toContain('must be the IANA name of a time zone');
    expect(secrets.filter((secret) => `${stdout}${stderr}`.includes(secret))).toEqual([]);
  }
});

test('an import of an export ends with 1 and one line if the export is of another service', async () => {
  const { bundleId } = await insertApp(database.db);
  expect(await importExport(bundleId, 'airship', JSON.stringify(endpoint))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^carillon: this is not an export of Airship: its first record has no channel_id, device_type; it looks like an export of Amazon Pinpoint: use --from pinpoint\n$/,
    ),
  });
});

test('an import of an export ends with 1 if no record is a device, and if the service is not known', async () => {
  const { bundleId } = await insertApp(database.db);
  const mail = JSON.stringify({ ...endpoint, ChannelType: 'EMAIL' });
  const nothing = await importExport(bundleId, 'pinpoint', mail);
  expect(nothing.code).toBe(1);
  expect(nothing.stdout).toContain('left out: 1 (lines 1): not a push to iOS or Android: e-mail');
  expect(nothing.stderr).toContain('carillon: nothing was imported: no valid device in ');
  const unknown = await importExport(bundleId, 'firebase', mail);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toMatch(/firebase.+onesignal, parse, pinpoint, airship/);
});
