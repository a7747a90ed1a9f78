/** `carillon doctor`, and the check that new credentials have to pass. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { adviceFor } from '../../src/apps/credentials/ask-gateways.ts';
import { putApnsCredentials, readCredentials } from '../../src/apps/credentials/store.ts';
import { systemClock } from '../../src/clock.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { makeCertificate, portOf } from '../../packages/http2-client/test/peer.ts';
import { runCommand } from '../support/command.ts';
import { insertApp } from '../support/database.ts';
import { closedPort } from '../support/ports.ts';
import { useCarillon } from '../support/processes.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  newAppleId,
  type SimulatedApp,
} from '../support/simulated-app.ts';
import { useCommandLine } from './command-line.ts';

const carillon = useCarillon();
const commandLine = useCommandLine();
const { database, secret } = commandLine;

let simulator: Simulator;
let app: SimulatedApp;
let environment: Record<string, string>;
let dir: string;

beforeAll(async () => {
  dir = await carillon.makeDir();
  simulator = await startSimulator({ certificateDir: dir });
  app = await createSimulatedApp(database.db, secret, simulator);
  environment = { ...gatewaySettings(simulator), ...commandLine.environment() };
});
afterEach(() => simulator.reset());
afterAll(async () => simulator.close());

const reportSchema = z.object({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      check: z.string(),
      level: z.enum(['ok', 'warning', 'fault']),
      message: z.string(),
      advice: z.string().optional(),
    }),
  ),
});
type Report = z.infer<typeof reportSchema>;

async function examine(settings: Record<string, string> = {}, ...words: string[]): Promise<Report> {
  const exit = await runCommand(['doctor', '--json', ...words], { ...environment, ...settings });
  expect(exit.stderr).toBe('');
  const report = reportSchema.parse(JSON.parse(exit.stdout));
  expect(exit.code).toBe(report.ok ? 0 : 1);
  for (const { level, advice } of report.findings) expect(advice === undefined).toBe(level === 'ok');
  return report;
}

/** The findings that are not ok. */
const troubles = ({ findings }: Report): Report['findings'] => findings.filter(({ level }) => level !== 'ok');

test('the doctor finds no fault in a working server, reports the routes of each credential, and pushes to no device', async () => {
  const report = await examine();
  expect(troubles(report)).toEqual([]);
  expect(report.findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'node',
      'settings',
      'postgres',
      'redis',
      'apns production',
      'apns sandbox',
      'fcm',
      'google oauth',
      'clock',
    ]),
  );
  const ofApp = report.findings.filter(({ check }) => check.startsWith(app.bundleId));
  expect(ofApp).toEqual([
    {
      check: expect.stringMatching(/: Apple key [A-Z0-9]{10}$/),
      level: 'ok',
      message: 'production yes, sandbox yes',
    },
    { check: `${app.bundleId}: Google project simulated`, level: 'ok', message: 'yes' },
  ]);
  expect(simulator.received()).toEqual([]);
});

test('each finding is one line, a fault with its remedy below, and the process exits with 1', async () => {
  const exit = await carillon.run(['doctor', '--app', 'nope'], environment);
  expect(exit).toMatchObject({ code: 1, signal: null, stderr: '' });
  expect(exit.stdout).toMatch(/^ok {7}node: Node \d+/m);
  expect(exit.stdout).toMatch(/^fault {4}apps: there is no app nope\n {9}→ see "carillon apps list"$/m);
});

test('a key that works in one environment only is a warning, or a fault where the other is needed', async () => {
  const limited = await insertApp(database.db);
  const owner = { teamId: newAppleId(), keyId: newAppleId(), bundleId: limited.bundleId };
  const { privateKeyPem: privateKey } = simulator.apple.createKey({ ...owner, environment: 'production' });
  const key = { appId: limited.id, keyId: owner.keyId, teamId: owner.teamId, privateKey };
  await putApnsCredentials(database.db, secret, key, systemClock);
  const report = await examine({}, '--app', limited.bundleId);
  expect(troubles(report)).toEqual([
    {
      check: `${limited.bundleId}: Apple key ${owner.keyId}`,
      level: 'warning',
      message: 'production yes, sandbox no (BadEnvironmentKeyInToken)',
      advice: expect.stringContaining('--environment'),
    },
  ]);
  await putApnsCredentials(database.db, secret, { ...key, environment: 'sandbox' }, systemClock);
  expect(troubles(await examine({}, '--app', limited.bundleId))).toMatchObject([
    {
      level: 'fault',
      message: 'production yes, sandbox no (BadEnvironmentKeyInToken), used for sandbox',
    },
  ]);
});

test.each([
  ['apns', { status: 403, reason: 'InvalidProviderToken' }, 'fault', /InvalidProviderToken/],
  ['apns', { status: 400, reason: 'TopicDisallowed' }, 'fault', /TopicDisallowed/],
  ['apns', { status: 429, reason: 'TooManyProviderTokenUpdates' }, 'warning', /not known/],
  ['apns', { status: 503, reason: 'ServiceUnavailable' }, 'warning', /not known/],
  ['fcm', { status: 403, reason: 'SENDER_ID_MISMATCH' }, 'fault', /PERMISSION_DENIED/],
  ['fcm', { status: 404 }, 'fault', /NOT_FOUND/],
  ['fcm', { status: 404, body: '<html>' }, 'fault', /HTTP 404/],
  ['oauth', { status: 400, reason: 'invalid_grant' }, 'fault', /invalid_grant/],
] as const)(
  'an answer of %s about the credentials is reported: %o',
  async (gateway, answer, level, message) => {
    simulator.orderFault({ kind: 'answer', gateway, ...answer });
    const found = troubles(await examine({}, '--app', app.bundleId));
    expect(found).toEqual([expect.objectContaining({ level, message: expect.stringMatching(message) })]);
  },
);

test('all unreachable services are reported at once', async () => {
  const gone = await closedPort();
  const report = await examine({
    APNS_SANDBOX_URL: `https://127.0.0.1:${gone}`,
    REDIS_URL: `redis://:open-sesame@127.0.0.1:${gone}`,
    FCM_URL: `https://localhost:${gone}`,
  });
  const checks = troubles(report).map(({ check, level }) => `${level} ${check}`);
  expect(checks).toEqual(expect.arrayContaining(['fault redis', 'fault apns sandbox', 'fault fcm']));
  expect(checks).not.toContain('fault apns production');
  expect(JSON.stringify(report)).not.toContain('open-sesame');
});

test('a Google OAuth that speaks HTTP/1.1 alone is no fault, and one that does not answer is', async () => {
  const certificate = await makeCertificate();
  const server = createServer(certificate, (_request, response) => response.writeHead(400).end());
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const known = await readFile(environment['GATEWAY_CA_FILE'] ?? '', 'utf8');
  const reachable = await examine({
    GOOGLE_OAUTH_URL: `https://localhost:${portOf(server)}`,
    GATEWAY_CA_FILE: await keyFile('authorities.pem', `${known}\n${certificate.cert}`),
  });
  expect(reachable.findings.find(({ check }) => check === 'google oauth')).toMatchObject({ level: 'ok' });
  const gone = `https://localhost:${await closedPort()}`;
  expect(troubles(await examine({ GOOGLE_OAUTH_URL: gone }))).toContainEqual(
    expect.objectContaining({
      check: 'google oauth',
      level: 'fault',
      message: expect.stringContaining('ECONNREFUSED'),
    }),
  );
});

test('an unreachable Postgres is reported with the reason', async () => {
  const url = new URL(database.url);
  url.port = String(await closedPort());
  expect(troubles(await examine({ DATABASE_URL: url.href }))).toEqual([
    {
      check: 'postgres',
      level: 'fault',
      message: expect.stringContaining('ECONNREFUSED'),
      advice: expect.any(String),
    },
  ]);
});

test('a read replica that does not answer is a fault, and a primary in its place a warning', async () => {
  const url = new URL(database.url);
  url.port = String(await closedPort());
  expect(troubles(await examine({ DATABASE_REPLICA_URL: url.href }, '--app', app.bundleId))).toMatchObject([
    { check: 'replica', level: 'fault', message: expect.stringContaining('ECONNREFUSED') },
  ]);
  expect(
    troubles(await examine({ DATABASE_REPLICA_URL: database.url }, '--app', app.bundleId)),
  ).toMatchObject([{ check: 'replica', level: 'warning', message: 'it follows no primary' }]);
});

test('a certificate that the server would not trust is reported', async () => {
  const { GATEWAY_CA_FILE: _trusted, ...rest } = environment;
  const exit = await runCommand(['doctor', '--json'], rest);
  const report = reportSchema.parse(JSON.parse(exit.stdout));
  expect(exit.code).toBe(1);
  expect(troubles(report).find(({ check }) => check === 'apns production')).toMatchObject({
    level: 'fault',
    advice: expect.stringContaining('GATEWAY_CA_FILE'),
  });
});

test('a schema that lacks migrations is reported and not changed', async () => {
  await sql`update kysely_migration set name = 'kept-' || name
    where name = (select max(name) from kysely_migration)`.execute(database.db);
  const found = troubles(await examine());
  await sql`update kysely_migration set name = substr(name, 6) where name like 'kept-%'`.execute(database.db);
  expect(found).toEqual([
    {
      check: 'postgres',
      level: 'warning',
      message: expect.stringMatching(/schema lacks \d{4}-/),
      advice: expect.stringContaining('migrate'),
    },
  ]);
});

test('a SECRET_KEY that does not decrypt the stored credentials is reported', async () => {
  const report = await examine({ SECRET_KEY: randomBytes(32).toString('hex') }, '--app', app.bundleId);
  expect(troubles(report)).toMatchObject([
    { level: 'fault', message: expect.stringContaining('SECRET_KEY') },
  ]);
});

test('all faults of the settings are reported, with exit code 1', async () => {
  const report = await examine({ PORT: 'http', LOG_LEVEL: 'loud' });
  expect(report.findings.map(({ check, level }) => `${level} ${check}`)).toEqual([
    'fault settings',
    'fault settings',
  ]);
});

test('the doctor creates no database in an empty data directory', async () => {
  const dataDir = await carillon.makeDir();
  const exit = await runCommand(['doctor', '--json'], {
    ...gatewaySettings(simulator),
    DATA_DIR: dataDir,
  });
  expect(troubles(reportSchema.parse(JSON.parse(exit.stdout)))).toMatchObject([
    { check: 'postgres', level: 'warning', message: expect.stringContaining('no database') },
  ]);
});

describeWithOwnRedis(
  'with a Redis',
  (redis) => {
    test('a Redis that may evict keys is a warning', async () => {
      const report = await examine({ REDIS_URL: redis.url }, '--app', app.bundleId);
      expect(troubles(report)).toMatchObject([
        { check: 'redis', level: 'warning', message: expect.stringContaining('allkeys-lru') },
      ]);
    });
  },
  ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
);

test('a database that lacks names of time zones is named by the doctor and at the start', async () => {
  await sql`create schema without_old_names`.execute(database.db);
  await sql`create view without_old_names.pg_timezone_names as select * from pg_catalog.pg_timezone_names
    where name not in ('Asia/Calcutta', 'US/Eastern')`.execute(database.db);
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=public,without_old_names,pg_catalog');
  const settings = { DATABASE_URL: url.href };
  expect(troubles(await examine(settings, '--app', app.bundleId))).toMatchObject([
    {
      check: 'postgres',
      level: 'warning',
      message: expect.stringMatching(/^lacks \d+ names of time zones \(.*Asia\/Calcutta/),
      advice: expect.stringContaining('tzdata-legacy'),
    },
  ]);
  const server = carillon.start(['start'], { ...environment, ...settings, PORT: '0' });
  await server.line(/"kind":"time_zones_unknown".*Asia\/Calcutta/);
  server.signal('SIGTERM');
  await server.exited;
});

test.each(['BadEnvironmentKeyInToken', 'BadEnvironmentKeyIdInToken'])(
  'the advice about the answer %s names --environment, in either spelling of Apple',
  (reason) => expect(adviceFor(reason)).toContain('--environment'),
);

test('credentials for all environments are refused where they work in one, and the error names it', async () => {
  const before = await storedKeys();
  const key = simulator.apple.createKey({ ...newOwner(), environment: 'sandbox' });
  const refused = await store(key);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^carillon: nothing was stored: Apple refuses the key: production no \(BadEnvironmentKeyInToken\), sandbox yes; .*it can be stored with --environment sandbox\n$/,
  );
  expect(await storedKeys()).toEqual(before);

  expect(await store(key, '--environment', 'sandbox')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'accepted by Apple: production no (BadEnvironmentKeyInToken), sandbox yes\n',
    ),
  });
  expect(await storedKeys()).toEqual([before[0], key.keyId]);
});

test('credentials are not replaced while the gateway cannot be reached, unless --no-check says so', async () => {
  const before = await storedKeys();
  const key = simulator.apple.createKey(newOwner());
  simulator.orderFault({ kind: 'answer', gateway: 'apns', status: 503, reason: 'ServiceUnavailable' });
  const refused = await store(key);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/Apple did not say whether it accepts the credentials.*--no-check\n$/);
  expect(await storedKeys()).toEqual(before);
  expect(await store(key, '--no-check')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('not checked'),
  });
  expect(await storedKeys()).toContain(key.keyId);
});

test('credentials with a key id that differs from the file name are refused with a hint', async () => {
  const { keyId, teamId, privateKeyPem } = simulator.apple.createKey(newOwner());
  const file = await keyFile(`AuthKey_${keyId}.p8`, privateKeyPem);
  const words = ['--app', app.bundleId, '--key-file', file, '--key-id', teamId, '--team-id', keyId];
  const { code, stderr } = await runCommand(['credentials', 'apns', ...words], environment);
  expect(code).toBe(1);
  expect(stderr).toContain(`(According to the file name, the key id is ${keyId}, not ${teamId}.)`);
});

test('credentials that Google does not know are refused, and nothing is replaced', async () => {
  const account = simulator.google.createServiceAccount({ projectId: 'other' });
  const file = await keyFile('account.json', JSON.stringify(account));
  simulator.orderFault({ kind: 'answer', gateway: 'oauth', status: 400, reason: 'invalid_grant' });
  const { code, stderr } = await runCommand(
    ['credentials', 'fcm', '--app', app.bundleId, '--service-account', file],
    environment,
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^carillon: nothing was stored: Google refuses the service account: .*invalid_grant/,
  );
  const { fcm } = await readCredentials(database.db, secret, app.id);
  expect(fcm?.project_id).toBe('simulated');
});

async function keyFile(name: string, pem: string): Promise<string> {
  const file = path.join(await carillon.makeDir(), name);
  await writeFile(file, pem);
  return file;
}

function newOwner(): { teamId: string; keyId: string; bundleId: string } {
  return { teamId: newAppleId(), keyId: newAppleId(), bundleId: app.bundleId };
}

async function storedKeys(): Promise<(string | undefined)[]> {
  const { apns_production, apns_sandbox } = await readCredentials(database.db, secret, app.id);
  return [apns_production?.keyId, apns_sandbox?.keyId];
}

async function store(
  key: { keyId: string; teamId: string; privateKeyPem: string },
  ...words: string[]
): ReturnType<typeof runCommand> {
  const file = await keyFile('key.p8', key.privateKeyPem);
  const ids = ['--key-id', key.keyId, '--team-id', key.teamId];
  return runCommand(
    ['credentials', 'apns', '--app', app.bundleId, '--key-file', file, ...ids, ...words],
    environment,
  );
}
