/** The catalogue of settings, with a description of each. `config.ts` reads them. */

interface Setting {
  /** The value when it is not set. */
  default?: string;
  /** For a setting without a default: the behaviour when it is not set. */
  unset?: string;
  meaning: string;
  /** Set for a secret: `<NAME>_FILE` may name a file that holds the value. */
  secret?: true;
}

/** Every setting, by the name of its environment variable. An empty variable counts as not set; unknown ones are ignored. */
export const settings = {
  HOST: {
    default: '127.0.0.1',
    meaning: 'address that the API listens on; `0.0.0.0` for all network interfaces',
  },
  PORT: { default: '8080', meaning: 'port that the API listens on; 0 for any free one' },
  METRICS_PORT: {
    unset: '`/metrics` is served on `PORT`',
    meaning: 'separate port for `/metrics`, `/healthz` and `/readyz`; the only one of a worker',
  },
  CONSOLE: {
    default: 'on',
    meaning: '`off`: the [console](console.md) is not served, and no user can sign in',
  },
  CONSOLE_PORT: {
    unset: '`/console` is served on `PORT`',
    meaning: 'separate port for the console and the API that its pages call; `PORT` then has no `/console`',
  },
  CONSOLE_URL: {
    unset: '`http://localhost:PORT/console`, with `CONSOLE_PORT` if set',
    meaning: 'address of the console in links to it: `https://push.example.com/console`',
  },
  CONSOLE_SECOND_FACTOR: {
    default: 'optional',
    meaning:
      '`required`: a user with a password and without a [second factor](console.md#users-and-sign-in) can do nothing but set one up',
  },
  CONSOLE_ADD_APPS: {
    default: 'admins',
    meaning: '`nobody`: [apps are added](decisions/0053-apps-from-the-console.md) on the command line alone',
  },
  CONSOLE_OIDC_ISSUER: {
    unset: 'users sign in with passwords only',
    meaning:
      '[OpenID provider](console.md#sign-in-through-an-openid-provider) through which users sign in, such as `https://accounts.example.com`',
  },
  CONSOLE_OIDC_CLIENT_ID: { unset: 'none', meaning: 'id of the console at the provider' },
  CONSOLE_OIDC_CLIENT_SECRET: {
    unset: 'none',
    meaning: 'secret of the console at the provider',
    secret: true,
  },
  CONSOLE_OIDC_SCOPE: {
    default: 'openid profile email',
    meaning: 'scopes to request from the provider; some providers need another word for groups',
  },
  CONSOLE_OIDC_GROUPS_CLAIM: { default: 'groups', meaning: 'claim that lists the groups of a user' },
  CONSOLE_OIDC_ROLES: {
    unset: 'none',
    meaning:
      'roles by group and app (`*` for all), as JSON: `{"push-team": {"com.example.app": "sender"}, "on-call": {"*": "viewer"}}`',
  },
  DATABASE_URL: {
    unset: 'an embedded Postgres under `DATA_DIR`',
    meaning:
      'Postgres 15 or later, as `postgres://user:password@host:5432/database`, with [the parameters of `psql`](postgres.md#the-address) such as `?sslmode=verify-full&sslrootcert=/path/ca.pem`',
    secret: true,
  },
  DATABASE_POOLER: {
    default: 'none',
    meaning:
      '`transaction`: `DATABASE_URL` leads through a [pooler](postgres.md#pgbouncer) in transaction mode; `transaction_prepared`: through one that also keeps prepared statements',
  },
  DATABASE_REPLICA_URL: {
    unset: 'everything is read from `DATABASE_URL`',
    meaning: '[read replica](postgres.md#a-read-replica), through the same kind of pooler as `DATABASE_URL`',
    secret: true,
  },
  DATABASE_REPLICA_MAX_LAG_SECONDS: {
    default: '5',
    meaning: 'a replica that may be further behind is not read',
  },
  REDIS_URL: {
    unset: 'jobs stay inside the process',
    meaning:
      'Redis or Valkey, as `redis://…`, or `rediss://…` for TLS; a cluster as `redis+cluster://…` or `rediss+cluster://…` with the address of any node; behind Sentinel as [`redis+sentinel://host:26379,host:26379/master-name`](deploy.md#redis-sentinel)',
    secret: true,
  },
  ROLE: { default: 'all', meaning: '`api`, `worker` or `all`' },
  DATA_DIR: {
    default: './data',
    meaning: 'directory of the embedded database and the generated `SECRET_KEY`',
  },
  SECRET_KEY: {
    unset: 'generated into `DATA_DIR`; required if `DATABASE_URL` is set',
    meaning:
      'key that encrypts stored credentials and webhook secrets: 32 bytes in hex or base64, as from `openssl rand -hex 32`',
    secret: true,
  },
  SECRET_KEY_PREVIOUS: {
    unset: 'none',
    meaning: 'the previous `SECRET_KEY`, [while it is replaced](secrets.md#replace-it-while-servers-run)',
    secret: true,
  },
  APNS_PRODUCTION_URL: {
    default: 'https://api.push.apple.com',
    meaning: 'address of Apple’s gateway; change it for a proxy or the simulator',
  },
  APNS_SANDBOX_URL: {
    default: 'https://api.sandbox.push.apple.com',
    meaning: 'the same for development devices',
  },
  APNS_CHANNELS_PRODUCTION_URL: {
    default: 'https://api-manage-broadcast.push.apple.com:2196',
    meaning: 'address at which Apple manages [broadcast channels](channels.md)',
  },
  APNS_CHANNELS_SANDBOX_URL: {
    default: 'https://api-manage-broadcast.sandbox.push.apple.com:2195',
    meaning: 'the same in the sandbox',
  },
  FCM_URL: { default: 'https://fcm.googleapis.com', meaning: 'address of Google’s gateway' },
  GOOGLE_OAUTH_URL: {
    default: 'https://oauth2.googleapis.com',
    meaning: 'address from which Google’s access tokens are fetched',
  },
  BULK_THREADS: {
    unset: 'one for each core, and for each 512 MiB if the container’s memory is limited; eight at most',
    meaning:
      'threads of a worker that send bulk notifications, 1 to 64; each takes 130 MB ([sizing](sizing.md))',
  },
  FCM_PUSHES_PER_MINUTE: {
    default: '600000',
    meaning: 'send quota of each Firebase project, shared by all workers',
  },
  GATEWAY_CA_FILE: {
    unset: 'only Node’s own authorities are trusted',
    meaning: 'file with additional certificate authorities (PEM) to trust at the six addresses above',
  },
  HTTPS_PROXY: {
    unset: 'connections are direct',
    meaning:
      'HTTP proxy for [outgoing connections](security.md#the-network): `http://user:password@proxy.example.com:3128`, or `https://…` for TLS to the proxy itself; or `https_proxy`',
    secret: true,
  },
  NO_PROXY: {
    unset: 'only loopback addresses are reached without it',
    meaning:
      'hosts that are reached without the proxy, separated by commas: `example.com` with all names below it, `10.0.0.0/8`, `host:8443`, or `*` for all; or `no_proxy`',
  },
  AUDIENCE_COUNT_MAX_AGE_SECONDS: {
    default: '5',
    meaning: 'maximum age of the device count of a large audience; those of small ones are exact',
  },
  KEY_REQUESTS_PER_SECOND: {
    default: '10000',
    meaning: 'requests per second per API key, averaged over 10 s across all processes; 0 = unlimited',
  },
  ADDRESS_REQUESTS_PER_SECOND: {
    default: '10000',
    meaning: 'the same per client address (for IPv6, per /64)',
  },
  ADDRESS_FAILURES_PER_MINUTE: {
    default: '60',
    meaning: 'failed authentications per minute per address; 0 = unlimited',
  },
  TRUST_PROXY: {
    unset: '`X-Forwarded-For` is ignored',
    meaning:
      'proxies whose `X-Forwarded-For` is trusted: addresses, ranges (`10.0.0.0/8`), `loopback`, `linklocal` or `uniquelocal`, separated by commas',
  },
  GEOIP_DATABASE: {
    unset: 'devices are not located by address',
    meaning:
      'a `.mmdb` file, such as GeoLite2 City, for [the country and location of devices](api.md#located-by-address)',
  },
  KEEP_DELIVERIES_DAYS: {
    default: '90',
    meaning: 'days to keep outcomes by device after a notification has ended',
  },
  EXPIRE_AUDIENCES_DAYS: {
    default: '400',
    meaning: 'days to keep an audience made on the fly after it was last targeted or read; 0 = forever',
  },
  KEEP_ENDED_CHANNELS_HOURS: {
    default: '12',
    meaning: 'hours to keep a broadcast channel after its `end`, at Apple and here; 0 = forever',
  },
  KEEP_UNUSED_CHANNELS_DAYS: {
    default: '90',
    meaning: 'days to keep a broadcast channel that is neither created again nor broadcast to; 0 = forever',
  },
  WEBHOOK_ALLOW_PRIVATE: {
    default: 'false',
    meaning: '`true` allows webhooks to private addresses and over plain HTTP',
  },
  WEB_PUSH_HOSTS: {
    unset: 'only the push services of the browsers',
    meaning:
      'further hosts of subscriptions, separated by commas: `ntfy.example.com`, `*.example.com`, `*`; one that is named in full may have a private address',
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  },
  LOG_FORMAT: { unset: '`pretty` on a terminal, otherwise `json`', meaning: '`json` or `pretty`' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    unset: 'tracing is off',
    meaning: 'OpenTelemetry collector that traces are sent to, as `http://collector:4318`',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    unset: '`/v1/traces` at `OTEL_EXPORTER_OTLP_ENDPOINT`',
    meaning: 'full address for traces only',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    unset: 'none',
    meaning: 'headers for the collector, as `name=value,name=value`',
    secret: true,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { default: 'http/protobuf', meaning: '`http/protobuf` or `http/json`' },
  OTEL_TRACES_EXPORTER: {
    unset: '`otlp` if an endpoint is set, otherwise `none`',
    meaning: '`otlp` or `none`; `otlp` without an endpoint sends to `http://localhost:4318`',
  },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    meaning:
      '`always_on`, `always_off`, `traceidratio`, or one of these with the prefix `parentbased_`, which follows the caller’s `traceparent`',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    meaning: 'share of requests that `traceidratio` traces, from 0 to 1',
  },
  OTEL_SERVICE_NAME: {
    unset: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, otherwise `carillon`',
    meaning: 'service name of this process in traces',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    unset: 'none',
    meaning: 'further attributes of this process in traces, as `name=value,name=value`',
  },
  OTEL_SDK_DISABLED: { default: 'false', meaning: '`true` turns tracing off, whatever else is set' },
} as const satisfies Record<string, Setting>;
