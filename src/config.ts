/**
 * The settings: the only reader of the environment. Every fault is reported, all at once, and no message
 * repeats a secret or an address that may hold one.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseSecretKey } from './apps/secret-key.ts';

interface Setting {
  /** What it is worth where it is not set. */
  default?: string;
  /** What happens where it is not set and there is no default. */
  unset?: string;
  meaning: string;
}

/** Every setting by its name in the environment. An empty one counts as not set; unknown ones are ignored. */
export const settings = {
  HOST: { default: '127.0.0.1', meaning: 'address that the API listens on; `0.0.0.0` for every network' },
  PORT: { default: '8080', meaning: 'port that the API listens on; 0 for any free one' },
  METRICS_PORT: {
    unset: '`/metrics` is served on `PORT`',
    meaning: 'port of their own for `/metrics`, `/healthz` and `/readyz`, also of a worker, which has no API',
  },
  DATABASE_URL: {
    unset: 'an embedded Postgres under `DATA_DIR`',
    meaning: 'Postgres 15 or later, as `postgres://user:password@host:5432/database`',
  },
  REDIS_URL: {
    unset: 'work is dispatched inside the process',
    meaning:
      'Redis or Valkey, as `redis://…`, or `rediss://…` for TLS; a cluster as `redis+cluster://…` or `rediss+cluster://…`, by one of its nodes',
  },
  ROLE: { default: 'all', meaning: '`api`, `worker` or `all`' },
  DATA_DIR: { default: './data', meaning: 'directory of the embedded database and the generated secret' },
  SECRET_KEY: {
    unset: 'generated into `DATA_DIR`; required where `DATABASE_URL` is set',
    meaning:
      'seals gateway credentials and the secrets of webhooks: 32 bytes in hex or base64, as `openssl rand -hex 32` makes them',
  },
  APNS_PRODUCTION_URL: {
    default: 'https://api.push.apple.com',
    meaning: 'address of Apple’s gateway, for a proxy or the simulator',
  },
  APNS_SANDBOX_URL: {
    default: 'https://api.sandbox.push.apple.com',
    meaning: 'the same for development devices',
  },
  FCM_URL: { default: 'https://fcm.googleapis.com', meaning: 'address of Google’s gateway' },
  GOOGLE_OAUTH_URL: {
    default: 'https://oauth2.googleapis.com',
    meaning: 'address that Google’s access tokens come from',
  },
  FCM_PUSHES_PER_MINUTE: {
    default: '600000',
    meaning: 'what Google grants each Firebase project; all workers together keep to it',
  },
  GATEWAY_CA_FILE: {
    unset: 'no other than Node’s own',
    meaning: 'one more certificate authority (a PEM file) to trust at those four addresses',
  },
  AUDIENCE_COUNT_MAX_AGE_SECONDS: {
    default: '5',
    meaning:
      'how old the device count of a large audience may be when it is read; small ones are always exact',
  },
  KEEP_DELIVERIES_DAYS: {
    default: '90',
    meaning: 'how long the outcome of each device is kept after the end of its notification; counters stay',
  },
  WEBHOOK_ALLOW_PRIVATE: {
    default: 'false',
    meaning:
      '`true` lets webhooks lead to private addresses and over plain HTTP: for receivers in your own network',
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
  LOG_FORMAT: { unset: '`pretty` on a terminal, else `json`', meaning: '`json` or `pretty`' },
} as const satisfies Record<string, Setting>;

export interface Config {
  host: string;
  port: number;
  /** Undefined: metrics are served on `port`. */
  metricsPort: number | undefined;
  /** Undefined: an embedded Postgres. */
  databaseUrl: string | undefined;
  /** Undefined: work is dispatched inside the process. See `RedisOptions.url` for its forms. */
  redisUrl: string | undefined;
  role: 'api' | 'worker' | 'all';
  dataDir: string;
  /** 32 bytes as text, for `parseSecretKey`. Undefined: generated into `dataDir`. */
  secretKey: string | undefined;
  /** Origins: `https://host[:port]`. */
  apnsProductionUrl: string;
  apnsSandboxUrl: string;
  fcmUrl: string;
  googleOauthUrl: string;
  fcmPushesPerMinute: number;
  /** Certificates in PEM to trust beside Node's own. */
  gatewayCa: string | undefined;
  keepDeliveriesDays: number;
  audienceCountMaxAgeSeconds: number;
  /** Whether webhooks may lead to private addresses and over plain HTTP. */
  webhookAllowPrivate: boolean;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  logFormat: 'json' | 'pretty';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used; `faults` are plain lines without secrets. The process exits with 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? faults.join() : ['the settings have faults:', ...faults].join('\n  '));
    this.faults = faults;
  }
}

const schema = z.object({
  HOST: z.string().default(settings.HOST.default),
  PORT: port().default(Number(settings.PORT.default)),
  METRICS_PORT: port().optional(),
  DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, 'must have the form postgres://user:password@host:5432/database')
    .optional(),
  REDIS_URL: z
    .string()
    .refine(isRedisUrl, 'must have the form redis://user:password@host:6379/0, or rediss, redis+cluster, …')
    .optional(),
  ROLE: z.enum(['api', 'worker', 'all'], 'must be api, worker or all').default(settings.ROLE.default),
  DATA_DIR: z.string().default(settings.DATA_DIR.default),
  SECRET_KEY: z
    .string()
    .refine(isSecretKey, 'must be 32 bytes in hex or base64; make one with: openssl rand -hex 32')
    .optional(),
  APNS_PRODUCTION_URL: origin(settings.APNS_PRODUCTION_URL.default),
  APNS_SANDBOX_URL: origin(settings.APNS_SANDBOX_URL.default),
  FCM_URL: origin(settings.FCM_URL.default),
  GOOGLE_OAUTH_URL: origin(settings.GOOGLE_OAUTH_URL.default, '/token'),
  FCM_PUSHES_PER_MINUTE: z
    .string()
    .default(settings.FCM_PUSHES_PER_MINUTE.default)
    .refine((text) => /^[1-9]\d{0,8}$/.test(text), 'must be a whole number from 1 to 999999999')
    .transform(Number),
  GATEWAY_CA_FILE: z.string().transform(readCertificates).optional(),
  AUDIENCE_COUNT_MAX_AGE_SECONDS: z
    .string()
    .default(settings.AUDIENCE_COUNT_MAX_AGE_SECONDS.default)
    .refine((text) => /^\d{1,4}$/.test(text), 'must be a whole number from 0 to 9999')
    .transform(Number),
  KEEP_DELIVERIES_DAYS: z
    .string()
    .default(settings.KEEP_DELIVERIES_DAYS.default)
    .refine((text) => /^[1-9]\d{0,4}$/.test(text), 'must be a whole number from 1 to 99999')
    .transform(Number),
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .default(settings.WEBHOOK_ALLOW_PRIVATE.default)
    .transform((text) => text === 'true'),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'must be fatal, error, warn, info, debug, trace or silent',
    )
    .default(settings.LOG_LEVEL.default),
  LOG_FORMAT: z.enum(['json', 'pretty'], 'must be json or pretty').optional(),
} satisfies Record<keyof typeof settings, z.ZodType>);

/**
 * Reads the settings.
 * @param isTerminal whether the log goes to a person: decides LOG_FORMAT where that is not set
 * @throws {ConfigError} with every fault
 */
export function readConfig(environment: Environment, isTerminal = process.stdout.isTTY): Config {
  const present: Environment = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(present);
  const missing = missingSettings(present);
  if (!parsed.success || missing.length > 0) {
    const broken = parsed.error?.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) ?? [];
    throw new ConfigError([...broken, ...missing]);
  }
  const read = parsed.data;
  return {
    host: read.HOST,
    port: read.PORT,
    metricsPort: read.METRICS_PORT,
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    role: read.ROLE,
    dataDir: read.DATA_DIR,
    secretKey: read.SECRET_KEY,
    apnsProductionUrl: read.APNS_PRODUCTION_URL,
    apnsSandboxUrl: read.APNS_SANDBOX_URL,
    fcmUrl: read.FCM_URL,
    googleOauthUrl: read.GOOGLE_OAUTH_URL,
    fcmPushesPerMinute: read.FCM_PUSHES_PER_MINUTE,
    gatewayCa: read.GATEWAY_CA_FILE,
    audienceCountMaxAgeSeconds: read.AUDIENCE_COUNT_MAX_AGE_SECONDS,
    keepDeliveriesDays: read.KEEP_DELIVERIES_DAYS,
    webhookAllowPrivate: read.WEBHOOK_ALLOW_PRIVATE,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json'),
  };
}

/** What one setting demands of another. Apart from the schema, which looks no further after a first fault. */
function missingSettings(present: Environment): string[] {
  const faults: string[] = [];
  const role = present['ROLE'];
  if (role === 'api' || role === 'worker') {
    for (const name of ['DATABASE_URL', 'REDIS_URL']) {
      if (present[name] === undefined) {
        faults.push(`${name} is required where ROLE is ${role}: that is how the processes work together`);
      }
    }
  }
  if (present['DATABASE_URL'] !== undefined && present['SECRET_KEY'] === undefined) {
    faults.push(
      'SECRET_KEY is required where DATABASE_URL is set, the same for every process; make one with: openssl rand -hex 32',
    );
  }
  return faults;
}

function port() {
  return z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'must be a number from 0 to 65535')
    .transform(Number);
}

/** An address of which only the origin counts; `path` may be written behind it. */
function origin(byDefault: string, path = '/') {
  return z
    .string()
    .default(byDefault)
    .refine((text) => isHttpsOrigin(text, path), 'must have the form https://host or https://host:port')
    .transform((text) => new URL(text).origin);
}

function isHttpsOrigin(text: string, path: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && [`${url.origin}/`, url.origin + path].includes(url.href);
}

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'postgres:' || url.protocol === 'postgresql:');
}

function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^rediss?(\+cluster)?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^(\/\d*)?$/.test(url.pathname) &&
    isPercentEncoded(url.username) &&
    isPercentEncoded(url.password)
  );
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
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
    // Throws where there is none.
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    context.addIssue(`must name a readable file of certificates in PEM (${file}: ${reason})`);
    return z.NEVER;
  }
}
