/** The client of docs/connect.md against a real server, and the fields of all its examples against the API. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { documentSchemas } from '../../src/http/openapi/document.ts';
import { useApi } from '../http/api.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';
import { fencesOf, readPage } from './markdown.ts';

const api = useApi();
const run = promisify(execFile);
const blocks = fencesOf(readPage('docs/connect.md'));
const textOf = (info: string): string =>
  blocks
    .filter((block) => block.info === info)
    .map(({ text }) => text)
    .join('\n');

const directory = useTemporaryDir();
let url = '';

beforeAll(async () => {
  await writeFile(path.join(directory.path, 'carillon.mjs'), textOf('js connect'));
  url = await api.server.listen({ host: '127.0.0.1', port: 0 });
});

/** What runs in a process of its own: an app with the client, whose requests are written down with their status. */
const APP = `
import { openCarillon } from './carillon.mjs';
const [url, key, steps, everyKey] = process.argv.slice(2);
const store = new Map();
const storage = { get: async (name) => store.get(name) ?? null, set: async (name, text) => void store.set(name, text) };
const calls = [];
const pauses = [];
let isOnline = true;
const send = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  if (!isOnline) throw new TypeError('offline');
  const reply = await send(address, options);
  calls.push({ path: address.replace(url, ''), body: JSON.parse(options.body), status: reply.status });
  return reply;
};
const app = openCarillon({ url, key, storage, pause: async (ms) => void pauses.push(ms) });
const results = [];
for (const [name, ...args] of JSON.parse(steps)) {
  if (name === 'online') isOnline = args[0];
  else if (name === 'erase') {
    const headers = { authorization: 'Basic ' + btoa(':' + everyKey) };
    const reply = await send(url + '/v6/devices/' + results.at(-1), { method: 'DELETE', headers });
    if (!reply.ok) throw new Error('the device was not erased: ' + reply.status);
  }
  else results.push(await app[name](...args).catch((error) => 'failed: ' + error.message));
}
process.stdout.write(JSON.stringify({ results, calls, pauses }));
`;

const output = z.object({
  results: z.array(z.string().optional().nullable()),
  calls: z.array(z.object({ path: z.string(), body: z.unknown(), status: z.number() })),
  pauses: z.array(z.number()),
});
type Output = z.output<typeof output>;

async function runApp(...steps: unknown[][]): Promise<Output> {
  const file = path.join(directory.path, 'app.mjs');
  await writeFile(file, APP);
  const args = [file, url, api.app.keys.register, JSON.stringify(steps), api.app.keys.every];
  const { stdout } = await run(process.execPath, args);
  return output.parse(JSON.parse(stdout));
}

function facts(more: object = {}): Record<string, unknown> {
  const push_token = `${randomUUID()}:token`;
  return { platform: 'Android', push_token, locale: 'en-GB', time_zone: 'Europe/London', ...more };
}

async function notificationFor(deviceId: string): Promise<string> {
  const notification = { to: { device_id: deviceId }, payload: { alert: 'a' }, receipts: {} };
  const { body } = await api.call('POST /v6/notifications', { body: { notification } });
  return z.object({ id: z.string() }).parse(body).id;
}

async function deviceWith(id: string | null | undefined): Promise<unknown> {
  return (await api.call(`GET /v6/devices/${id}`)).body;
}

it('the console shows these very lines: vitest --update writes them to the file that it has', async () => {
  const [swift = '', kotlin = ''] = ['swift', 'kotlin'].map(
    (language) => blocks.find(({ info }) => info === language)?.text,
  );
  const lines = { swift, kotlin, client: textOf('js connect'), capacitor: textOf('js capacitor') };
  expect(lines.swift + lines.kotlin + lines.capacitor).toMatch(/(?:THE_REGISTER_KEY[^]*){3}/);
  const file = '../../packages/console/src/screens/start/connect-lines.json';
  await expect(`${JSON.stringify(lines, null, 2)}\n`).toMatchFileSnapshot(file);
});

it('the JavaScript client registers once until something changes, such as the version of the app', async () => {
  const device = facts({ app_version: '1.0' });
  const newer = { ...device, app_version: '1.1' };
  const { results, calls } = await runApp(['register', device], ['register', device], ['register', newer]);
  expect(new Set(results).size).toBe(1);
  expect(calls.map(({ status }) => status)).toEqual([201, 200]);
  expect(await deviceWith(results[0])).toMatchObject({ device: { app_version: '1.1', locale: 'en_GB' } });
});

it('the JavaScript client stays the same device when its token becomes an installation id', async () => {
  const device = facts({ user_id: 'user-17' });
  const fid = `d${randomBytes(18).toString('base64url').slice(0, 21)}`;
  const migrated = { ...device, push_token: fid, push_token_type: 'fid' };
  const { results, calls } = await runApp(['register', device], ['register', migrated]);
  expect(new Set(results).size).toBe(1);
  expect(calls[1]?.body).toMatchObject({
    device: { id: results[0], previous_push_token: device['push_token'] },
  });
  const expected = { push_token: fid, push_token_type: 'fid', user_id: 'user-17' };
  expect(await deviceWith(results[0])).toMatchObject({ device: expected });
});

it('the JavaScript client reports that the user signs in and out', async () => {
  const device = facts();
  const signedIn = await runApp(['register', device], ['register', { ...device, user_id: 'user-18' }]);
  expect(await deviceWith(signedIn.results[0])).toMatchObject({ device: { user_id: 'user-18' } });
  const signedOut = await runApp(['register', { ...device, user_id: null }]);
  expect(signedOut.results).toEqual([signedIn.results[0]]);
  expect(await deviceWith(signedIn.results[0])).toMatchObject({ device: { user_id: null } });
});

it('the JavaScript client reports opens, and opens from a time without network later', async () => {
  const device = facts();
  const { results } = await runApp(['register', device]);
  const nid = await notificationFor(results[0] ?? '');
  const { calls } = await runApp(
    ['register', device],
    ['online', false],
    ['opened', { _nid: nid }],
    ['online', true],
    ['send'],
    ['send'],
  );
  expect(calls.slice(1)).toEqual([
    { path: `/v6/notifications/${nid}/opens`, body: { device_id: results[0] }, status: 202 },
  ]);
});

it('the JavaScript client reports a receipt if the push asks for it, after a random time of up to a minute', async () => {
  const device = facts();
  const { results } = await runApp(['register', device]);
  const nid = await notificationFor(results[0] ?? '');
  const { calls, pauses } = await runApp(
    ['register', device],
    ['received', { _nid: nid, _rcpt: String(2 ** 32) }, true],
    ['received', { _nid: nid, _rcpt: '0' }, true],
    ['received', { _nid: nid }, true],
  );
  expect(calls.slice(1)).toEqual([
    { path: '/v6/receipts', body: [{ notification: nid, device: results[0], shown: true }], status: 202 },
  ]);
  expect(pauses).toHaveLength(1);
  expect(pauses.every((ms) => ms >= 0 && ms < 60_000)).toBe(true);
});

it('the JavaScript client forgets the id of a device that was erased, and registers a new device', async () => {
  const device = facts();
  const { results, calls } = await runApp(
    ['register', device],
    ['erase'],
    ['register', { ...device, badge: 1 }],
  );
  expect(calls.map(({ status }) => status)).toEqual([201, 451, 201]);
  expect(results[1]).not.toBe(results[0]);
});

it('the JavaScript client does not try again what the server refuses for good', async () => {
  const { calls } = await runApp(['register', facts()], ['opened', { _nid: randomUUID() }], ['send']);
  expect(calls.map(({ status }) => status)).toEqual([201, 404]);
});

it.each(['js capacitor', 'js react-native'])('the examples in %s are JavaScript', async (info) => {
  const file = path.join(directory.path, `${info.replace(' ', '-')}.mjs`);
  await writeFile(file, textOf(info));
  await expect(run(process.execPath, ['--check', file])).resolves.toMatchObject({ stderr: '' });
});

/** Fields of requests, and the keys of a push that an app reads. */
const known = new Set(['_nid', '_rcpt', '_channel_id', 'collapse_key', ...fieldNames()]);

it.each(['swift', 'kotlin', 'dart', 'js capacitor', 'js react-native', 'js connect'])(
  'the examples in %s name only fields that the API has',
  (info) => {
    const text = textOf(info);
    const named = [
      ...text.matchAll(/["'](_?[a-z]+(?:_[a-z]+)+|_[a-z]+)["']/g),
      ...(info.startsWith('js') ? text.matchAll(/\b([a-z]+(?:_[a-z]+)+):/g) : []),
    ].map(([, name = '']) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    if (info !== 'js connect') expect(named).toContain('push_token');
  },
);

function fieldNames(): string[] {
  const schemas = documentSchemas();
  const forms = ['IosRegistration', 'AndroidRegistration', 'Receipt', 'ReportOpen'].map(
    (name) => schemas[name],
  );
  return forms.flatMap((form) => (typeof form === 'object' ? Object.keys(form.properties ?? {}) : []));
}
