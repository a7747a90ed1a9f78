/** The catalogue of settings: what an operator can set, and what it means. `config.ts` reads them. */

interface Setting {
  /** What it is worth where it is not set. */
  default?: string;
  /** What happens where it is not set and there is no default. */
  unset?: string;
  meaning: string;
  /** It holds a secret: the file that `<NAME>_FILE` names may hold it instead. */
  secret?: true;
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
    secret: true,
  },
  REDIS_URL: {
    unset: 'work is dispatched inside the process',
    meaning:
      'Redis or Valkey, as `redis://…`, or `rediss://…` for TLS; a cluster as `redis+cluster://…` or `rediss+cluster://…`, by one of its nodes',
    secret: true,
  },
  ROLE: { default: 'all', meaning: '`api`, `worker` or `all`' },
  DATA_DIR: { default: './data', meaning: 'directory of the embedded database and the generated secret' },
  SECRET_KEY: {
    unset: 'generated into `DATA_DIR`; required where `DATABASE_URL` is set',
    meaning:
      'seals gateway credentials and the secrets of webhooks: 32 bytes in hex or base64, as `openssl rand -hex 32` makes them',
    secret: true,
  },
  SECRET_KEY_PREVIOUS: {
    unset: 'none',
    meaning: 'the `SECRET_KEY` until now, while it is being replaced: opens what that one has sealed',
    secret: true,
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
  KEY_REQUESTS_PER_SECOND: {
    default: '2000',
    meaning: 'what an API key may call, over 10 seconds and by all processes together; 0 is no limit',
  },
  ADDRESS_REQUESTS_PER_SECOND: {
    default: '2000',
    meaning: 'the same for an address that calls come from (of IPv6, its /64)',
  },
  ADDRESS_FAILURES_PER_MINUTE: {
    default: '60',
    meaning:
      'how often an address may come without a good key before only known ones are let in; 0 is no limit',
  },
  TRUST_PROXY: {
    unset: 'nobody’s `X-Forwarded-For` is believed',
    meaning:
      'addresses or ranges (`10.0.0.0/8`) of proxies that tell whose call it is, or `loopback`, `linklocal`, `uniquelocal`; joined by commas',
  },
  GEOIP_DATABASE: {
    unset: 'no device is located by its address',
    meaning:
      'a `.mmdb` file (GeoLite2 City, say): registrations by an app that tell no country or location [get those of their address](api.md#located-by-address)',
  },
  KEEP_DELIVERIES_DAYS: {
    default: '90',
    meaning: 'how long the outcome of each device is kept after the end of its notification; counters stay',
  },
  EXPIRE_AUDIENCES_DAYS: {
    default: '400',
    meaning:
      'how long an audience that was made on the fly is kept after it was last targeted or read; 0 keeps all',
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
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    unset: 'nothing is traced',
    meaning: 'OpenTelemetry collector that traces are sent to, as `http://collector:4318`',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    unset: '`/v1/traces` of that one',
    meaning: 'the same as a whole address, for traces alone',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    unset: 'none',
    meaning: 'headers for the collector, as `name=value,name=value`',
    secret: true,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { default: 'http/protobuf', meaning: '`http/protobuf` or `http/json`' },
  OTEL_TRACES_EXPORTER: {
    unset: '`otlp` where an endpoint is set, else `none`',
    meaning: '`otlp`, without an endpoint to `http://localhost:4318`, or `none`',
  },
  OTEL_TRACES_SAMPLER: {
    default: 'parentbased_always_on',
    meaning:
      'which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of these with `parentbased_` in front, which leaves it to the caller’s `traceparent` where there is one',
  },
  OTEL_TRACES_SAMPLER_ARG: { default: '1', meaning: 'the share that `traceidratio` takes, from 0 to 1' },
  OTEL_SERVICE_NAME: {
    unset: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `carillon`',
    meaning: 'what the traces call this process',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    unset: 'none',
    meaning: 'what else they say of it, as `name=value,name=value`',
  },
  OTEL_SDK_DISABLED: { default: 'false', meaning: '`true` traces nothing, whatever else is set' },
} as const satisfies Record<string, Setting>;
