/**
 * A real process with everything logged: devices, credentials, keys and payloads with marks in them, and all
 * that can go wrong with them. No mark is in what the process writes, in its metrics, in its traces or in what it
 * refuses with.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { useTestDatabase } from '../support/database.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import { type Backend, createSimulatedApp, gatewaySettings, openBackend } from '../support/simulated-app.ts';
import { type Collector, startCollector } from '../tracing/collector.ts';
import { basic } from './api.ts';

const database = useTestDatabase();
const carillon = useCarillon();
const SECRET_KEY = randomBytes(32).toString('hex');

/** In hex, so that it can stand in Apple's tokens; nothing else has it. */
const MARK = 'feedc0de5eedfeedc0de';
const iosToken = (): string => MARK + randomBytes(32).toString('hex').slice(MARK.length);
const androidToken = (): string => `${MARK}:${randomBytes(16).toString('hex')}`;
const EMAIL = `${MARK}@example.com`;

let simulator: Simulator;
let collector: Collector;
let server: RunningProcess;
let backend: Backend;
let url: string;
let authorization: string;
const secrets = new Map<string, string>([
  ['the mark', MARK],
  ['the secret key', SECRET_KEY],
  ['the secret key’s bytes', Buffer.from(SECRET_KEY, 'hex').toString('base64').slice(0, 40)],
  ['a private key', 'PRIVATE KEY'],
  ['a JSON web token', 'eyJ'],
]);
/** The bodies of all refusals. */
const refusals: string[] = [];

beforeAll(async () => {
  const directory = await carillon.makeDir();
  simulator = await startSimulator({ certificateDir: directory });
  collector = await startCollector();
  server = carillon.start(['start'], {
    ...gatewaySettings(simulator),
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: directory,
    PORT: '0',
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  url = await listeningUrl(server);
  const app = await createSimulatedApp(database.db, parseSecretKey(SECRET_KEY), simulator);
  backend = openBackend(url, app.key);
  authorization = basic('', app.key);
  secrets.set('the API key', app.key.slice('carillon_'.length));
  secrets.set('the API key as it is sent', Buffer.from(`:${app.key}`).toString('base64').slice(0, 60));
});

afterAll(async () => {
  await simulator.close();
  await collector.close();
});

async function register(
  platform: 'iOS' | 'Android',
  push_token: string,
  development = false,
): Promise<string> {
  const device = {
    platform,
    push_token,
    development,
    user_email: EMAIL,
    custom: { note: { type: 'string', value: MARK } },
  };
  const { body } = await backend.call('POST', '/v6/devices', { device });
  return z.object({ device: z.object({ id: z.string() }) }).parse(body).device.id;
}

const payload = { alert: `alert ${MARK}`, title: MARK, note: { text: MARK } };

async function push(to: unknown): Promise<{ state: string }> {
  const { id } = await backend.notify(to, { payload });
  return backend.untilEnded(id, 20_000);
}

async function refused(status: number, ...request: Parameters<Backend['call']>): Promise<void> {
  const reply = await backend.call(...request);
  expect(reply, JSON.stringify(request)).toMatchObject({ status });
  refusals.push(JSON.stringify(reply.body));
}

/** Lets Postgres quote a row's values in an error, as it does for text that it cannot convert. */
async function failOn(table: 'devices' | 'delivery_slices' | 'notifications'): Promise<() => Promise<void>> {
  const name = sql.id(`fail_on_${table}`);
  const values = sql.lit(`invalid input syntax: "${MARK}"`);
  await sql`create function ${name}() returns trigger language plpgsql as $$
    begin
      raise exception using errcode = '22P02', message = ${values}, detail = ${values}, hint = ${values};
    end $$`.execute(database.db);
  await sql`create trigger ${name} before insert or update on ${sql.table(table)}
    for each row execute function ${name}()`.execute(database.db);
  return async () => {
    await sql`drop trigger ${name} on ${sql.table(table)}`.execute(database.db);
  };
}

test('accepted pushes are made', async () => {
  await register('iOS', iosToken());
  await register('Android', androidToken());
  expect(await push('*')).toMatchObject({ state: 'sent', accepted: 2 });
  expect(await push([{ name: 'user_email', criteria: [EMAIL] }])).toMatchObject({ accepted: 2 });
});

test('updates of a Live Activity are accepted, and refused by a gateway that echoes them', async () => {
  const id = await register('iOS', iosToken());
  const token = iosToken();
  const stored = await fetch(`${url}/v6/devices/${id}/tokens/live_activity/order-4711`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ push_token: token }),
  });
  expect(stored.status).toBe(204);
  const live_activity = { event: 'update', activity_id: 'order-4711', content_state: { note: MARK } };
  const update = async () => {
    const sent = await backend.notify('*', { payload: { alert: MARK }, live_activity });
    return backend.untilEnded(sent.id, 20_000);
  };
  expect(await update()).toMatchObject({ accepted: 1 });
  simulator.orderFault({ kind: 'answer', token, status: 400, reason: MARK, times: 1 });
  expect(await update()).toMatchObject({ rejected: 1 });
  simulator.orderFault({ kind: 'answer', token, status: 410, reason: 'Unregistered' });
  expect(await update()).toMatchObject({ unregistered: 1 });
  simulator.clearFaults();
  const body = { push_token: `${MARK}x` };
  await refused(422, 'PUT', `/v6/devices/${id}/tokens/live_activity/order-4711`, body);
});

test('pushes are refused by gateways that echo them', async () => {
  const faults = [
    { status: 400, reason: 'BadDeviceToken' },
    { status: 400, reason: 'BadTopic' },
    { status: 410, reason: 'Unregistered' },
    { status: 400, reason: MARK },
    { status: 400, body: JSON.stringify({ reason: MARK, error: { status: MARK, message: MARK } }) },
    // From Google these would put the whole project off for a while.
    { gateway: 'apns', status: 500, body: `<p>${MARK}</p>`, times: 1 },
    { gateway: 'apns', status: 429, headers: { 'retry-after': MARK }, reason: 'TooManyRequests', times: 1 },
  ] as const;
  const ids: string[] = [];
  for (const fault of faults) {
    for (const [platform, token] of [
      ['iOS', iosToken()],
      ['Android', androidToken()],
    ] as const) {
      ids.push(await register(platform, token));
      simulator.orderFault({ kind: 'answer', token, ...fault });
    }
  }
  const broken = iosToken();
  ids.push(await register('iOS', broken));
  simulator.orderFault({ kind: 'reset', token: broken, times: 1 });
  expect((await push([{ name: 'device_id', criteria: ids }])).state).toBe('sent');
  simulator.clearFaults();
});

test('credentials are refused', async () => {
  // The sandbox has taken none before, and refuses them at once; production has, and is tried again.
  await register('iOS', iosToken(), true);
  const refusal = { kind: 'answer', gateway: 'apns', status: 403, reason: 'InvalidProviderToken' } as const;
  simulator.orderFault({ ...refusal, environment: 'sandbox' });
  simulator.orderFault({ ...refusal, environment: 'production', times: 1 });
  expect((await push([{ name: 'os_name', criteria: ['none'], not_filter: true }])).state).toBe('sent');
  simulator.clearFaults();
});

test('requests break a rule', async () => {
  const id = await register('Android', androidToken());
  await refused(422, 'POST', '/v6/devices', { device: { platform: 'iOS', push_token: `${MARK}x` } });
  await refused(422, 'POST', '/v6/devices', {
    device: { platform: 'Android', push_token: `${MARK} x`, user_email: [EMAIL], badge: MARK, locale: MARK },
  });
  await refused(422, 'PUT', `/v6/devices/${id}`, {
    device: { custom: { a: { type: 'integer', value: MARK } } },
  });
  await refused(422, 'PUT', `/v6/devices/${id}`, { device: { user_email: `\u0000${EMAIL}` } });
  await refused(422, 'POST', '/v6/notifications', {
    notification: { to: '*', payload: { ...payload, badge: MARK } },
  });
  await refused(422, 'POST', '/v6/notifications', {
    notification: { to: '*', payload: { ...payload, note: MARK.repeat(300) } },
  });
  await refused(422, 'POST', '/v6/notifications', {
    notification: { to: [{ name: 'user_email', criteria: [{ gt: EMAIL }] }], payload },
  });
  await refused(422, 'POST', '/v6/notifications', {
    notification: { to: [{ name: 'created_at', criteria: [MARK] }], payload },
  });
  await refused(404, 'GET', `/v6/devices/${MARK}`);
  await refused(404, 'GET', `/v6/${MARK}`);
  await refused(
    400,
    'POST',
    '/v6/notifications',
    { notification: { to: '*', payload } },
    { 'idempotency-key': `${MARK} x` },
  );
  for (const strange of [`Basic ${MARK}`, `Basic ${Buffer.from(`:${MARK}`).toString('base64')}`, MARK]) {
    await refused(401, 'GET', '/v6/audiences', undefined, { authorization: strange });
  }
  for (const body of [`{"device": "${MARK}`, `"${MARK}"`, `{"${MARK}`, MARK]) {
    const headers = { authorization, 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v6/devices`, { method: 'POST', headers, body });
    expect([400, 422]).toContain(reply.status);
    refusals.push(await reply.text());
  }
});

test('a database fails and quotes the values of its query', async () => {
  const restoreDevices = await failOn('devices');
  await refused(500, 'POST', '/v6/devices', { device: { platform: 'Android', push_token: androidToken() } });
  await restoreDevices();
  const restoreNotifications = await failOn('notifications');
  await refused(500, 'POST', '/v6/notifications', { notification: { to: '*', payload } });
  await restoreNotifications();
  const restoreSlices = await failOn('delivery_slices');
  // A filter without an index is planned, and planning writes slices.
  const { id } = await backend.notify([{ name: 'user_email', criteria: [EMAIL] }], { payload });
  await server.line(/"kind":"job_failed"/);
  await restoreSlices();
  expect((await backend.untilEnded(id, 20_000)).state).toBe('sent');
});

test('a database goes away', async () => {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
  await server.line(/"kind":"database_error"/);
  await vi.waitFor(async () => expect((await push('*')).state).toBe('sent'), { timeout: 30_000 });
});

test('no secret of these calls is in the log, the metrics, a trace or a refusal', async () => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  server.signal('SIGTERM');
  const { stdout, stderr, code } = await server.exited;
  expect(code).toBe(0);
  // All of the output was collected.
  for (const kind of [
    'push_finished',
    'request_failed',
    'job_failed',
    'credentials_refused',
    'route_paused',
    'push_retried',
  ]) {
    expect(stdout).toContain(`"kind":"${kind}"`);
  }
  expect(stdout).toContain('Postgres 22P02: ');
  const spans = collector.spans();
  expect(spans.map(({ attributes }) => attributes['error.type'])).toContain('22P02');
  expect(spans.flatMap(({ events }) => events.map(({ name }) => name))).toContain('credentials refused');
  const traces = collector.posts.map(({ body }) => body.toString()).join('\n');
  const outputs = { stdout, stderr, metrics, traces, refusals: refusals.join('\n') };
  for (const [what, secret] of secrets) {
    for (const [where, text] of Object.entries(outputs)) {
      const found = text.split('\n').filter((line) => line.toLowerCase().includes(secret.toLowerCase()));
      expect(found, `${what} in ${where}`).toEqual([]);
    }
  }
});
