import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { generate } from 'selfsigned';
import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/process/config.ts';
import { settings } from '../../src/process/settings.ts';
import { useTemporaryDir } from '../support/temporary-dir.ts';

const HEX_KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const DATABASE = { DATABASE_URL: 'postgres://carillon:hunter2@db:5432/carillon', SECRET_KEY: HEX_KEY };

const TRACED = {
  url: 'http://collector:4318/v1/traces',
  headers: {},
  protocol: 'http/protobuf',
  sampler: 'parentbased_always_on',
  samplerRatio: 1,
  resource: { 'service.name': 'carillon' },
};

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment, false);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

it('the settings have a default for everything', () => {
  expect(readConfig({}, false)).toEqual({
    host: '127.0.0.1',
    port: 8080,
    consoleUrl: 'http://localhost:8080/console',
    oidc: undefined,
    requiresSecondFactor: false,
    whoAddsApps: 'admins',
    isDemo: false,
    metricsPort: undefined,
    console: true,
    consolePort: undefined,
    databaseUrl: undefined,
    databasePooler: 'none',
    databaseReplicaUrl: undefined,
    databaseReplicaMaxLagSeconds: 5,
    redisUrl: undefined,
    role: 'all',
    dataDir: './data',
    secretKey: undefined,
    secretKeyPrevious: undefined,
    apnsProductionUrl: 'https://api.push.apple.com',
    apnsSandboxUrl: 'https://api.sandbox.push.apple.com',
    apnsChannelsProductionUrl: 'https://api-manage-broadcast.push.apple.com:2196',
    apnsChannelsSandboxUrl: 'https://api-manage-broadcast.sandbox.push.apple.com:2195',
    fcmPushesPerMinute: 600_000,
    audienceCountMaxAgeSeconds: 5,
    keyRequestsPerSecond: 10_000,
    addressRequestsPerSecond: 10_000,
    addressFailuresPerMinute: 60,
    trustedProxies: undefined,
    geoipDatabase: undefined,
    fcmUrl: 'https://fcm.googleapis.com',
    googleOauthUrl: 'https://oauth2.googleapis.com',
    gatewayCa: undefined,
    keepDeliveriesDays: 90,
    expireAudiencesDays: 400,
    keepEndedChannelsHours: 12,
    keepUnusedChannelsDays: 90,
    webhookAllowPrivate: false,
    webPushHosts: { names: [], any: false },
    logLevel: 'info',
    logFormat: 'json',
    tracing: undefined,
  });
});

it('the defaults are those in the list of settings', () => {
  const defaults = Object.fromEntries(
    Object.entries(settings).flatMap(([name, setting]) =>
      'default' in setting ? [[name, setting.default]] : [],
    ),
  );
  expect(readConfig(defaults, false)).toEqual(readConfig({}, false));
});

it('settings that are empty count as not set, and unknown settings are ignored', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  expect(readConfig({ ...empty, PATH: '/usr/bin', PORTS: 'x' }, false)).toEqual(readConfig({}, false));
});

it('the log is pretty by default on a terminal', () => {
  expect(readConfig({}, true).logFormat).toBe('pretty');
  expect(readConfig({ LOG_FORMAT: 'json' }, true).logFormat).toBe('json');
  expect(readConfig({ LOG_FORMAT: 'pretty' }, false).logFormat).toBe('pretty');
});

it.each([
  [
    { HOST: '0.0.0.0', PORT: '0' },
    { host: '0.0.0.0', port: 0 },
  ],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ PORT: '8081' }, { consoleUrl: 'http://localhost:8081/console' }],
  [
    { CONSOLE_URL: 'https://push.example.com/a/console/' },
    { consoleUrl: 'https://push.example.com/a/console' },
  ],
  [{ CONSOLE_URL: 'http://127.0.0.1:9000/console' }, { consoleUrl: 'http://127.0.0.1:9000/console' }],
  [{ METRICS_PORT: '9464' }, { port: 8080, metricsPort: 9464 }],
  [{ CONSOLE: 'off' }, { console: false }],
  [{ CONSOLE_PORT: '9000' }, { consolePort: 9_000, consoleUrl: 'http://localhost:9000/console' }],
  [{ KEEP_DELIVERIES_DAYS: '1' }, { keepDeliveriesDays: 1 }],
  [{ EXPIRE_AUDIENCES_DAYS: '0' }, { expireAudiencesDays: 0 }],
  [
    { KEY_REQUESTS_PER_SECOND: '0', ADDRESS_FAILURES_PER_MINUTE: '5' },
    { keyRequestsPerSecond: 0, addressFailuresPerMinute: 5 },
  ],
  [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8,192.0.2.1' }, {}],
  [DATABASE, { databaseUrl: DATABASE.DATABASE_URL, secretKey: HEX_KEY }],
  [{ ...DATABASE, DATABASE_URL: 'postgresql:///carillon?host=/run/postgres' }, {}],
  [{ REDIS_URL: 'redis://cache' }, { redisUrl: 'redis://cache' }],
  [{ REDIS_URL: 'rediss://:p%40ss@cache:6380/3' }, { redisUrl: 'rediss://:p%40ss@cache:6380/3' }],
  [{ REDIS_URL: 'redis+cluster://[::1]:7000' }, {}],
  [{ HTTPS_PROXY: 'proxy:3128' }, { proxy: { url: 'http://proxy:3128/', except: '' } }],
  [
    { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1', no_proxy: 'b', NO_PROXY: 'a' },
    { proxy: { url: 'http://lower:1/', except: 'b' } },
  ],
  [{ NO_PROXY: '*' }, { proxy: undefined }],
  [{ ...DATABASE, ROLE: 'api', REDIS_URL: 'redis://cache' }, { role: 'api' }],
  [{ ...DATABASE, ROLE: 'worker', REDIS_URL: 'redis://cache' }, { role: 'worker' }],
  [{ SECRET_KEY: Buffer.from(HEX_KEY, 'hex').toString('base64') }, {}],
  [{ SECRET_KEY: Buffer.from(HEX_KEY, 'hex').toString('base64url') }, {}],
  [{ SECRET_KEY: HEX_KEY, SECRET_KEY_PREVIOUS: '0'.repeat(64) }, { secretKeyPrevious: '0'.repeat(64) }],
  [{ FCM_URL: 'https://127.0.0.1:2000/' }, { fcmUrl: 'https://127.0.0.1:2000' }],
  [{ GOOGLE_OAUTH_URL: 'https://localhost:2000/token' }, { googleOauthUrl: 'https://localhost:2000' }],
  [{ WEBHOOK_ALLOW_PRIVATE: 'true' }, { webhookAllowPrivate: true }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, { tracing: TRACED }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }, { tracing: TRACED }],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://unused',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces',
    },
    { tracing: TRACED },
  ],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, { tracing: { url: 'http://localhost:4318/v1/traces' } }],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, { tracing: undefined }],
  [{ OTEL_SDK_DISABLED: 'True', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, { tracing: undefined }],
  [
    {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%3Db, x-team = pushes ',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=pushes,deployment.environment.name=test',
    },
    {
      tracing: {
        protocol: 'http/json',
        headers: { 'api-key': 'a=b', 'x-team': 'pushes' },
        sampler: 'parentbased_traceidratio',
        samplerRatio: 0.25,
        resource: { 'service.name': 'pushes', 'deployment.environment.name': 'test' },
      },
    },
  ],
  [
    {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=pushes',
    },
    { tracing: { resource: { 'service.name': 'mine' } } },
  ],
])('the settings %o are accepted', (environment: Record<string, string>, expected) => {
  expect(readConfig(environment, false)).toMatchObject(expected);
});

it.each([
  ['PORT', ['65536', '-1', '80a', '8080.0', ' 80', '0x50']],
  ['METRICS_PORT', ['65536', 'x']],
  ['CONSOLE_OIDC_SCOPE', ['profile', 'openid,profile']],
  ['CONSOLE_OIDC_ROLES', ['x', '[]', '{"a": "admin"}', '{"a": {"*": "owner"}}']],
  [
    'CONSOLE_URL',
    [
      'push.example.com',
      'http://push.example.com/console',
      'https://a/console?b',
      'https://a/#b',
      'https://u@a/',
    ],
  ],
  ['CONSOLE', ['no', 'true', 'ON']],
  ['CONSOLE_SECOND_FACTOR', ['on', 'REQUIRED']],
  ['CONSOLE_ADD_APPS', ['off', 'Admins']],
  ['CONSOLE_PORT', ['65536', 'x']],
  ['KEY_REQUESTS_PER_SECOND', ['-1', '1.5', 'x', '10000000']],
  ['ADDRESS_REQUESTS_PER_SECOND', ['unlimited']],
  ['ADDRESS_FAILURES_PER_MINUTE', ['1e3']],
  [
    'TRUST_PROXY',
    ['true', '1', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.0/8/8', '10.0.0.0/x', 'proxy', 'loopback,'],
  ],
  ['KEEP_DELIVERIES_DAYS', ['0', '-1', '1.5', '100000']],
  ['EXPIRE_AUDIENCES_DAYS', ['-1', '1.5', '100000']],
  ['DATABASE_URL', ['mysql://db/x', 'db:5432', 'https://db', 'postgres']],
  ['REDIS_URL', ['http://cache', 'cache:6379', 'redis://', 'redis://cache/queue', 'redis://:%@cache']],
  ['ROLE', ['both', 'API']],
  ['SECRET_KEY', ['short', HEX_KEY.slice(1), `${HEX_KEY}00`, 'g'.repeat(64)]],
  [
    'APNS_PRODUCTION_URL',
    ['http://api.push.apple.com', 'api.push.apple.com', 'https://a/b', 'https://u:p@a'],
  ],
  ['APNS_SANDBOX_URL', ['https://a?b', 'ftp://a']],
  ['APNS_CHANNELS_PRODUCTION_URL', ['http://api-manage-broadcast.push.apple.com:2196']],
  ['APNS_CHANNELS_SANDBOX_URL', ['api-manage-broadcast.sandbox.push.apple.com:2195']],
  ['FCM_URL', ['https://a#b', 'https://a/token']],
  ['GOOGLE_OAUTH_URL', ['http://a/token', 'https://a/tokens']],
  ['HTTPS_PROXY', ['socks5://proxy:1080', 'http://', 'http://proxy/path', 'not a proxy']],
  ['GATEWAY_CA_FILE', ['/nowhere/ca.pem', tmpdir(), import.meta.filename]],
  ['GEOIP_DATABASE', ['/nowhere/city.mmdb', tmpdir(), import.meta.filename]],
  ['WEBHOOK_ALLOW_PRIVATE', ['yes', '1', 'TRUE']],
  ['LOG_LEVEL', ['verbose']],
  ['LOG_FORMAT', ['text']],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://collector:4317', '/v1/traces']],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['collector']],
  ['OTEL_EXPORTER_OTLP_HEADERS', ['a', 'a=b,', '=b', 'a=%']],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', ['grpc', 'http']],
  ['OTEL_TRACES_EXPORTER', ['console', 'otlp,console', 'zipkin']],
  ['OTEL_TRACES_SAMPLER', ['ratio', 'jaeger_remote']],
  ['OTEL_TRACES_SAMPLER_ARG', ['2', '-1', '1.5', '1e-3', '.', 'half']],
  ['OTEL_RESOURCE_ATTRIBUTES', ['a', 'a=b,c']],
  ['OTEL_SDK_DISABLED', ['1', 'yes']],
])('a wrong %s is refused: %o', (name, texts) => {
  for (const text of texts) {
    const faults = faultsOf({ ...(name === 'DATABASE_URL' ? { SECRET_KEY: HEX_KEY } : {}), [name]: text });
    expect(faults, text).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  }
});

it('the settings demand what processes that work together need', () => {
  expect(faultsOf({ ROLE: 'api' })).toEqual([
    expect.stringMatching(/^DATABASE_URL is required if ROLE is api/),
    expect.stringMatching(/^REDIS_URL is required if ROLE is api/),
  ]);
  expect(faultsOf({ ...DATABASE, ROLE: 'worker' })).toEqual([
    expect.stringMatching(/^REDIS_URL is required if ROLE is worker/),
  ]);
  expect(faultsOf({ DATABASE_URL: DATABASE.DATABASE_URL })).toEqual([
    expect.stringMatching(/^SECRET_KEY is required if DATABASE_URL is set.*openssl rand -hex 32/),
  ]);
});

const OIDC = {
  CONSOLE_URL: 'https://push.example.com/console',
  CONSOLE_OIDC_ISSUER: 'https://accounts.example.com/realms/a',
  CONSOLE_OIDC_CLIENT_ID: 'carillon',
  CONSOLE_OIDC_CLIENT_SECRET: 'a secret of the client',
  CONSOLE_OIDC_ROLES: '{"push team": {"com.example.app": "sender"}, "on-call": {"*": "viewer"}}',
};

it('the settings name an OpenID provider with the roles of its groups', () => {
  expect(readConfig(OIDC, false).oidc).toEqual({
    issuer: 'https://accounts.example.com/realms/a',
    clientId: 'carillon',
    clientSecret: 'a secret of the client',
    scope: 'openid profile email',
    groupsClaim: 'groups',
    roles: { 'push team': { 'com.example.app': 'sender' }, 'on-call': { '*': 'viewer' } },
    consoleUrl: 'https://push.example.com/console',
  });
});

it.each(['accounts.example.com', 'http://accounts.example.com', 'ftp://a'])(
  'the address %s is refused as an OpenID provider',
  (CONSOLE_OIDC_ISSUER) => {
    expect(faultsOf({ ...OIDC, CONSOLE_OIDC_ISSUER })).toEqual([
      expect.stringMatching(/^CONSOLE_OIDC_ISSUER must have the form https/),
    ]);
  },
);

it('the settings demand all that an OpenID provider needs', () => {
  const { CONSOLE_OIDC_ISSUER } = OIDC;
  expect(faultsOf({ CONSOLE_OIDC_ISSUER })).toEqual(
    ['CLIENT_ID', 'CLIENT_SECRET', 'ROLES']
      .map((name) => `CONSOLE_OIDC_${name} is required if CONSOLE_OIDC_ISSUER is set`)
      .concat('CONSOLE_URL is required if CONSOLE_OIDC_ISSUER is set'),
  );
});

it('a previous key is accepted only together with the current one', () => {
  expect(faultsOf({ SECRET_KEY_PREVIOUS: HEX_KEY })).toEqual([
    expect.stringMatching(/^SECRET_KEY_PREVIOUS requires SECRET_KEY/),
  ]);
  expect(faultsOf({ SECRET_KEY: HEX_KEY, SECRET_KEY_PREVIOUS: 'short' })).toEqual([
    expect.stringMatching(/^SECRET_KEY_PREVIOUS must be 32 bytes/),
  ]);
});

it('an error about the settings reports every fault at once', () => {
  const environment = { ROLE: 'worker', PORT: 'x', LOG_LEVEL: 'x', FCM_URL: 'x', DATABASE_URL: 'x' };
  const faults = faultsOf(environment);
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'FCM_URL',
    'LOG_LEVEL',
    'REDIS_URL',
    'SECRET_KEY',
  ]);
  expect(() => readConfig(environment, false)).toThrow(faults.join('\n  '));
});

it('an error about the settings never repeats a secret, or an address that may hold one', () => {
  const secretive = [
    'DATABASE_URL',
    'REDIS_URL',
    'SECRET_KEY',
    'APNS_PRODUCTION_URL',
    'APNS_SANDBOX_URL',
    'APNS_CHANNELS_PRODUCTION_URL',
    'APNS_CHANNELS_SANDBOX_URL',
    'FCM_URL',
    'GOOGLE_OAUTH_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ];
  const secret = fc.stringMatching(/^[A-Za-z0-9%:/@?#]{0,6}s3cr3t[A-Za-z0-9%:/@?#]{0,6}$/);
  const prefix = fc.constantFrom('', 'http://user:', 'redis://:', 'mysql://', 'https://');
  fc.assert(
    fc.property(fc.constantFrom(...secretive), prefix, secret, (name, start, text) => {
      const faults = faultsOf({ [name]: start + text });
      expect(faults.join()).not.toContain('s3cr3t');
    }),
  );
});

/** The settings that hold a secret. */
const values = {
  CONSOLE_OIDC_CLIENT_SECRET: 'hunter2 hunter2',
  DATABASE_URL: DATABASE.DATABASE_URL,
  DATABASE_REPLICA_URL: 'postgres://carillon:hunter2@replica:5432/carillon',
  REDIS_URL: 'redis://:hunter2@cache',
  SECRET_KEY: HEX_KEY,
  SECRET_KEY_PREVIOUS: '1'.repeat(64),
  HTTPS_PROXY: 'http://carillon:hunter2@proxy:3128',
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2',
};
const names = Object.keys(values);
const directory = useTemporaryDir();

function fileWith(text: string): string {
  const file = path.join(directory.path, randomUUID());
  writeFileSync(file, text);
  return file;
}

it('the settings that may be given as files are those that the list of settings marks as secret', () => {
  const marked = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []));
  expect(marked).toEqual(names);
});

it.each(['', '\n', '\r\n'])(
  'a setting from a file is the same as given by value, whatever ends the file (%j)',
  (end) => {
    const files = Object.entries(values).map(([name, value]) => [`${name}_FILE`, fileWith(value + end)]);
    const environment: Record<string, string> = { ...Object.fromEntries(files), ROLE: 'worker' };
    expect(readConfig(environment, false)).toEqual(readConfig({ ...values, ROLE: 'worker' }, false));
    expect(readConfig({ ...environment, SECRET_KEY: '' }, false).secretKey).toBe(HEX_KEY);
  },
);

it.each(names)('a setting from a file that is unreadable, empty or one of two is refused: %s', (name) => {
  const others = Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
  const faults = (file: string, more = {}) => faultsOf({ ...others, ...more, [`${name}_FILE`]: file });
  expect(faults(path.join(directory.path, 'hunter2'))).toEqual([
    `${name}_FILE must name a readable file (ENOENT)`,
  ]);
  expect(faults(directory.path)).toEqual([`${name}_FILE must name a readable file (EISDIR)`]);
  expect(faults(fileWith(' \n'))).toEqual([`${name}_FILE names a file that is empty`]);
  expect(faults(fileWith('hunter2'), { [name]: 'hunter2' })).toContain(
    `${name} and ${name}_FILE are both set; set one of them`,
  );
  const wrong = faults(fileWith('hunter2'));
  expect(wrong).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  expect(wrong.join()).not.toContain('hunter2');
});

it('a setting without a secret is not read from a file', () => {
  expect(readConfig({ PORT_FILE: fileWith('1') }, false)).toEqual(readConfig({}, false));
});

it('the settings contain the certificates of GATEWAY_CA_FILE', async () => {
  const { cert } = await generate([{ name: 'commonName', value: 'an authority' }]);
  const file = path.join(directory.path, 'ca.pem');
  writeFileSync(file, cert);
  expect(readConfig({ GATEWAY_CA_FILE: file }, false).gatewayCa).toBe(cert);
});
