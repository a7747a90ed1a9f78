/**
 * Reads the settings, only from the environment. All faults are reported at once. No message repeats a secret, or an
 * address that may hold one.
 */
import { X509Certificate } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { consoleFields, missingOidcSettings, oidcOf } from './console-config.ts';
import { parseSecretKey } from './secret-key.ts';
import { NO_OTHER_HOSTS, parseWebPushHosts } from '../gateways/web-push/hosts.ts';
import { settings } from './settings.ts';
import { databaseUrlFaults } from '../db/address/database-url.ts';
import type { Pooler } from '../db/connect.ts';
import { parseProxyUrl } from '../proxy/proxy-settings.ts';
import { readRedisAddress } from '../queue/redis-address.ts';
import { tracingFields, tracingOf } from './tracing-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings; `faults` are plain lines without secrets. The process exits with 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? faults.join() : ['the settings have faults:', ...faults].join('\n  '));
    this.faults = faults;
  }
}

const POOLERS = ['none', 'transaction', 'transaction_prepared'] as const satisfies readonly Pooler[];

/** `settings.ts` has the defaults, so that only a setting without one is optional here. */
const schema = z.object({
  HOST: z.string(),
  PORT: wholeNumber(0, 65_535),
  ...consoleFields,
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off'),
  CONSOLE_PORT: wholeNumber(0, 65_535).optional(),
  DATABASE_URL: databaseUrl().optional(),
  DATABASE_POOLER: z.enum(POOLERS, 'must be none, transaction or transaction_prepared'),
  DATABASE_REPLICA_URL: databaseUrl().optional(),
  DATABASE_REPLICA_MAX_LAG_SECONDS: wholeNumber(1, 99),
  REDIS_URL: z
    .string()
    .refine(
      (text) => readRedisAddress(text) !== undefined,
      'must have the form redis://user:password@host:6379/0, with redis, rediss, redis+cluster or rediss+cluster, or redis+sentinel://user:password@host:26379,host:26379/master-name/0, with redis+sentinel or rediss+sentinel',
    )
    .optional(),
  ROLE: z.enum(['api', 'worker', 'all'], 'must be api, worker or all'),
  DATA_DIR: z.string(),
  SECRET_KEY: secretKey().optional(),
  SECRET_KEY_PREVIOUS: secretKey().optional(),
  APNS_PRODUCTION_URL: origin(),
  APNS_SANDBOX_URL: origin(),
  APNS_CHANNELS_PRODUCTION_URL: origin(),
  APNS_CHANNELS_SANDBOX_URL: origin(),
  FCM_URL: origin(),
  GOOGLE_OAUTH_URL: origin('/token'),
  BULK_THREADS: wholeNumber(1, 64).optional(),
  FCM_PUSHES_PER_MINUTE: wholeNumber(1, 999_999_999),
  GATEWAY_CA_FILE: z.string().transform(readCertificates).optional(),
  HTTPS_PROXY: z
    .string()
    .refine(
      (text) => parseProxyUrl(text) !== undefined,
      'must have the form http://user:password@proxy.example.com:3128, with http or https',
    )
    .transform((text) => parseProxyUrl(text) ?? text)
    .optional(),
  NO_PROXY: z.string().optional(),
  AUDIENCE_COUNT_MAX_AGE_SECONDS: wholeNumber(0, 9_999),
  KEY_REQUESTS_PER_SECOND: wholeNumber(0, 9_999_999),
  ADDRESS_REQUESTS_PER_SECOND: wholeNumber(0, 9_999_999),
  ADDRESS_FAILURES_PER_MINUTE: wholeNumber(0, 9_999_999),
  TRUST_PROXY: z
    .string()
    .refine(
      (text) => text.split(',').every((part) => isAddressRange(part.trim())),
      'must be addresses, ranges such as 10.0.0.0/8, loopback, linklocal or uniquelocal, separated by commas',
    )
    .optional(),
  GEOIP_DATABASE: z.string().superRefine(refuseNoMmdb).optional(),
  KEEP_DELIVERIES_DAYS: wholeNumber(1, 99_999),
  EXPIRE_AUDIENCES_DAYS: wholeNumber(0, 99_999),
  KEEP_ENDED_CHANNELS_HOURS: wholeNumber(0, 99_999),
  KEEP_UNUSED_CHANNELS_DAYS: wholeNumber(0, 99_999),
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true'),
  WEB_PUSH_HOSTS: z
    .string()
    .refine(
      (text) => parseWebPushHosts(text) !== undefined,
      'must be names such as push.example.com, push.example.com:8443 or *.example.com, or *, separated by commas',
    )
    .transform((text) => parseWebPushHosts(text))
    .optional(),
  LOG_LEVEL: z.enum(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'must be fatal, error, warn, info, debug, trace or silent',
  ),
  LOG_FORMAT: z.enum(['json', 'pretty'], 'must be json or pretty').optional(),
  ...tracingFields,
} satisfies Record<keyof typeof settings, z.ZodType>);

/**
 * Reads the settings.
 * @param isTerminal whether a person reads the log; decides the format if LOG_FORMAT is not set
 * @throws {ConfigError} with every fault
 */
export function readConfig(environment: Environment, isTerminal = process.stdout.isTTY): Config {
  const present = new Map(
    Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  // Many programs read these names in lower case, some only in lower case; as in curl, that spelling takes precedence.
  for (const name of ['HTTPS_PROXY', 'NO_PROXY']) {
    const value = present.get(name.toLowerCase());
    if (value !== undefined) present.set(name, value);
  }
  const unread = readSecretFiles(present);
  for (const [name, setting] of Object.entries(settings)) {
    if ('default' in setting && !present.has(name)) present.set(name, setting.default);
  }
  const parsed = schema.safeParse(Object.fromEntries(present));
  const missing = missingSettings(present);
  if (!parsed.success || unread.length > 0 || missing.length > 0) {
    const broken = parsed.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? [];
    throw new ConfigError([...unread, ...broken, ...missing]);
  }
  return configOf(parsed.data, isTerminal);
}

/** The settings in the form that the rest of the process uses; `settings.ts` describes each. */
export type Config = ReturnType<typeof configOf>;

function configOf(read: z.output<typeof schema>, isTerminal: boolean) {
  return {
    host: read.HOST,
    port: read.PORT,
    /** Without a slash at its end. */
    consoleUrl: read.CONSOLE_URL ?? `http://localhost:${read.CONSOLE_PORT ?? read.PORT}/console`,
    /** Undefined: users of the console sign in with passwords only. */
    oidc: oidcOf(read),
    requiresSecondFactor: read.CONSOLE_SECOND_FACTOR === 'required',
    whoAddsApps: read.CONSOLE_ADD_APPS,
    /** `carillon demo` changes it. */
    isDemo: false,
    /** Undefined: metrics are served on `port`. */
    metricsPort: read.METRICS_PORT,
    console: read.CONSOLE === 'on',
    /** Undefined: the console is served on `port`. */
    consolePort: read.CONSOLE_PORT,
    /** Undefined: an embedded Postgres. */
    databaseUrl: read.DATABASE_URL,
    /** Only for `databaseUrl`: the embedded Postgres has none. */
    databasePooler: read.DATABASE_URL === undefined ? 'none' : read.DATABASE_POOLER,
    /** Undefined: there is no read replica. */
    databaseReplicaUrl: read.DATABASE_REPLICA_URL,
    databaseReplicaMaxLagSeconds: read.DATABASE_REPLICA_MAX_LAG_SECONDS,
    /** Undefined: jobs stay inside the process. `RedisOptions.url` describes the accepted forms. */
    redisUrl: read.REDIS_URL,
    role: read.ROLE,
    dataDir: read.DATA_DIR,
    /** Text for `parseSecretKey`. Undefined: generated into `dataDir`. */
    secretKey: read.SECRET_KEY,
    secretKeyPrevious: read.SECRET_KEY_PREVIOUS,
    /** The six gateway addresses are origins: `https://host[:port]`. */
    apnsProductionUrl: read.APNS_PRODUCTION_URL,
    apnsSandboxUrl: read.APNS_SANDBOX_URL,
    apnsChannelsProductionUrl: read.APNS_CHANNELS_PRODUCTION_URL,
    apnsChannelsSandboxUrl: read.APNS_CHANNELS_SANDBOX_URL,
    fcmUrl: read.FCM_URL,
    googleOauthUrl: read.GOOGLE_OAUTH_URL,
    /** Undefined: `defaultThreads()`. */
    bulkThreads: read.BULK_THREADS,
    fcmPushesPerMinute: read.FCM_PUSHES_PER_MINUTE,
    /** The certificates themselves, in PEM. */
    gatewayCa: read.GATEWAY_CA_FILE,
    proxy:
      read.HTTPS_PROXY === undefined ? undefined : { url: read.HTTPS_PROXY, except: read.NO_PROXY ?? '' },
    audienceCountMaxAgeSeconds: read.AUDIENCE_COUNT_MAX_AGE_SECONDS,
    keyRequestsPerSecond: read.KEY_REQUESTS_PER_SECOND,
    addressRequestsPerSecond: read.ADDRESS_REQUESTS_PER_SECOND,
    addressFailuresPerMinute: read.ADDRESS_FAILURES_PER_MINUTE,
    trustedProxies: read.TRUST_PROXY,
    geoipDatabase: read.GEOIP_DATABASE,
    keepDeliveriesDays: read.KEEP_DELIVERIES_DAYS,
    expireAudiencesDays: read.EXPIRE_AUDIENCES_DAYS,
    keepEndedChannelsHours: read.KEEP_ENDED_CHANNELS_HOURS,
    keepUnusedChannelsDays: read.KEEP_UNUSED_CHANNELS_DAYS,
    webhookAllowPrivate: read.WEBHOOK_ALLOW_PRIVATE,
    webPushHosts: read.WEB_PUSH_HOSTS ?? NO_OTHER_HOSTS,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
    /** Undefined: no tracing. */
    tracing: tracingOf(read),
  };
}

/**
 * Reads secrets from files, as Docker and Kubernetes provide them, without the trailing newline. No fault repeats the value
 * of `<NAME>_FILE`, because someone may have put the secret itself there by mistake.
 */
function readSecretFiles(present: Map<string, string>): string[] {
  const faults: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const file = present.get(`${name}_FILE`);
    if (!('secret' in setting) || file === undefined) continue;
    if (present.has(name)) {
      faults.push(`${name} and ${name}_FILE are both set; set one of them`);
      continue;
    }
    try {
      const text = readFileSync(file, 'utf8').trimEnd();
      if (text === '') faults.push(`${name}_FILE names a file that is empty`);
      else present.set(name, text);
    } catch (error) {
      faults.push(`${name}_FILE must name a readable file (${reasonOf(error)})`);
    }
  }
  return faults;
}

/** Reports settings that other settings require. A check in the schema would be skipped after another fault. */
function missingSettings(present: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  // A file that cannot be read counts as given: it is reported as a fault of its own.
  const isGiven = (name: string): boolean => present.has(name) || present.has(`${name}_FILE`);
  const role = present.get('ROLE');
  if (role === 'api' || role === 'worker') {
    for (const name of ['DATABASE_URL', 'REDIS_URL']) {
      if (!isGiven(name)) {
        faults.push(`${name} is required if ROLE is ${role}: it connects the processes`);
      }
    }
  }
  if (isGiven('DATABASE_URL') && !isGiven('SECRET_KEY')) {
    faults.push(
      'SECRET_KEY is required if DATABASE_URL is set, and must be the same for every process; make one with: openssl rand -hex 32',
    );
  }
  if (isGiven('DATABASE_REPLICA_URL') && !isGiven('DATABASE_URL')) {
    faults.push('DATABASE_REPLICA_URL requires DATABASE_URL, the database that it is a replica of');
  }
  if (isGiven('SECRET_KEY_PREVIOUS') && !isGiven('SECRET_KEY')) {
    faults.push('SECRET_KEY_PREVIOUS requires SECRET_KEY, the key that replaces it');
  }
  faults.push(...missingOidcSettings(isGiven));
  return faults;
}

function secretKey() {
  return z
    .string()
    .refine(isSecretKey, 'must be 32 bytes in hex or base64; make one with: openssl rand -hex 32');
}

/** In decimal digits; no leading zero if it must be 1 or more. */
function wholeNumber(min: 0 | 1, max: number) {
  const form = new RegExp(`^${min === 0 ? '' : '(?!0)'}\\d{1,${String(max).length}}$`);
  return z
    .string()
    .refine((text) => form.test(text) && Number(text) <= max, `must be a whole number from ${min} to ${max}`)
    .transform(Number);
}

function databaseUrl() {
  return z.string().superRefine((text, context) => {
    for (const fault of databaseUrlFaults(text)) context.addIssue(fault);
  });
}

function isAddressRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...more] = text.split('/');
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)];
  if (bitsMax === undefined || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax);
}

/** An address of which only the origin is used; it may end in `path`. */
function origin(path = '/') {
  return z
    .string()
    .refine((text) => isHttpsOrigin(text, path), 'must have the form https://host or https://host:port')
    .transform((text) => new URL(text).origin);
}

function isHttpsOrigin(text: string, path: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && [`${url.origin}/`, url.origin + path].includes(url.href);
}

function isSecretKey(text: string): boolean {
  try {
    parseSecretKey(text);
    return true;
  } catch {
    return false;
  }
}

function readCertificates(file: string, context: z.RefinementCtx): string {
  try {
    const pem = readFileSync(file, 'utf8');
    // Throws if the file holds no certificate.
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    context.addIssue(`must name a readable file of certificates in PEM (${file}: ${reasonOf(error)})`);
    return z.NEVER;
  }
}

/** Marks the metadata at the end of a file in MaxMind's format, within its last 128 KiB. */
const MMDB_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MMDB_END_BYTES = 128 * 1024;

/** Reads only the end: the file may have a hundred megabytes, and every command reads the settings. */
function refuseNoMmdb(file: string, context: z.RefinementCtx): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const end = Buffer.alloc(MMDB_END_BYTES);
    const from = Math.max(0, fstatSync(descriptor).size - end.length);
    const bytes = readSync(descriptor, end, 0, end.length, from);
    if (end.subarray(0, bytes).includes(MMDB_MARKER)) return;
    context.addIssue(`must name a database in MaxMind's format (${file} is not one)`);
  } catch (error) {
    context.addIssue(`must name a readable file (${file}: ${reasonOf(error)})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}
