/** Builds the servers of a process: the API, the server of a separate metrics port, and the one that answers while starting. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { openKeyring } from '../apps/keyring.ts';
import type { SecretKey } from '../apps/seal.ts';
import { openTokenKeys } from '../apps/token-keys.ts';
import { openCountCache } from '../audiences/count-cache.ts';
import { openCountLimiter } from '../audiences/count-limiter.ts';
import type { Clock } from '../clock.ts';
import { readSnapshot } from '../db/snapshot.ts';
import type { Database } from '../db/tables.ts';
import type { GeoIp } from '../devices/geoip.ts';
import { openRegistrations } from '../devices/registrations/registrations.ts';
import { ApiError } from '../errors.ts';
import { openIntake } from '../notifications/intake/intake.ts';
import type { Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { noTracer, type Tracer } from '../tracing/span.ts';
import { makeAuthentication } from './authenticate.ts';
import { bareServer, DEFAULT_LIMITS, type ServerLimits } from './bare-server.ts';
import { featureCalls } from './calls/every-call.ts';
import { healthCalls } from './calls/health.ts';
import { descriptionCalls, metricsCall, type MetricsPage } from './calls/service.ts';
import { apiDocument } from './openapi/document.ts';
import { type Overload, shedOverload } from './overload.ts';
import { addRateLimits, type RateLimitSettings } from './rate-limit/rate-limit.ts';
import { addPageFiles } from './reference/reference-page.ts';
import { traceRequests } from './trace-requests.ts';

const NO_RATE_LIMITS: RateLimitSettings = {
  keyRequestsPerSecond: 0,
  addressRequestsPerSecond: 0,
  addressFailuresPerMinute: 0,
  redisUrl: undefined,
};

const COUNT_MAX_AGE_MS = 5_000;
const RETRY_WHEN_STARTED_SECONDS = 5;

export interface ServerResources {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add' | 'ping'>;
  /** Whether the disk of the database is full. Undefined: it is not watched. */
  watch?: { readonly isFull: boolean };
  clock: Clock;
  /** Encrypts the secrets of webhooks and the keys of retired push tokens. */
  secret: SecretKey;
  observe: Observe;
  /** Undefined: nothing is traced. */
  tracer?: Tracer;
  limits?: Partial<ServerLimits>;
  /** The maximum age of the device count of a large audience. */
  countMaxAgeMs?: number;
  /** Whether webhooks may use private addresses and plain HTTP. */
  webhooksMayBePrivate?: boolean;
  /** Locates devices by IP address when they register. Undefined: no device is located. */
  geoip?: GeoIp | undefined;
  /** Undefined if metrics have a port of their own. */
  metrics?: MetricsPage | undefined;
  rateLimits?: RateLimitSettings;
  /** Undefined: no load is shed. */
  overload?: Overload;
  /** Addresses and ranges, joined by commas, whose `X-Forwarded-For` is trusted. Undefined: none. */
  trustedProxies?: string | undefined;
}

/** @returns the API server, not yet listening; its `close()` waits for requests in flight */
export function buildServer(resources: ServerResources): FastifyInstance {
  const { db, queue, clock, secret, observe, metrics } = resources;
  const limits = { ...DEFAULT_LIMITS, ...resources.limits };
  const server = bareServer(observe, limits, resources.trustedProxies);
  if (resources.trustedProxies === undefined) warnOfProxies(server, observe);
  const spans = traceRequests(server, resources.tracer ?? noTracer);
  if (resources.overload !== undefined) shedOverload(server, resources.overload);
  const rateLimits = addRateLimits(server, resources.rateLimits ?? NO_RATE_LIMITS, clock);
  const tokenKeys = openTokenKeys(db, secret);
  const deps = {
    ...resources,
    ...limits,
    authentication: makeAuthentication(server, openKeyring({ db, clock }), rateLimits),
    spans,
    // Has nothing to close: the server waits for the calls in it.
    intake: openIntake({ db, queue, observe }),
    countCache: openCountCache({
      clock,
      maxAgeMs: resources.countMaxAgeMs ?? COUNT_MAX_AGE_MS,
      readSnapshot: async () => readSnapshot(db),
    }),
    countLimiter: openCountLimiter(),
    tokenKeys,
    registrations: openRegistrations({ db, tokenKeys, clock }),
    geoip: resources.geoip,
    webhooksMayBePrivate: resources.webhooksMayBePrivate ?? false,
    document: JSON.stringify(apiDocument()),
  };
  for (const call of [...healthCalls, ...descriptionCalls, ...featureCalls]) call.addTo(server, deps);
  addPageFiles(server);
  if (metrics !== undefined) metricsCall.addTo(server, { metrics });
  return server;
}

/** For a process that trusts no proxy: reports, once, that requests seem to come through one. */
function warnOfProxies(server: FastifyInstance, observe: Observe): void {
  let isReported = false;
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    if (!isReported && headers['x-forwarded-for'] !== undefined) {
      isReported = true;
      observe({ kind: 'proxy_not_trusted' });
    }
    done();
  });
}

/** @returns the server of a process that waits for its database, not yet listening: `/healthz`, `/readyz` */
export function buildWaitingServer({
  db,
  queue,
  observe,
}: Pick<ServerResources, 'db' | 'observe'> & { queue: Pick<Queue, 'ping'> }): FastifyInstance {
  const server = bareServer(observe, DEFAULT_LIMITS);
  for (const call of healthCalls) call.addTo(server, { db, queue, ...DEFAULT_LIMITS });
  server.all('*', { onRequest: refuseWhileWaiting }, refuseWhileWaiting); // before a body is read
  return server;
}

async function refuseWhileWaiting(): Promise<never> {
  throw new ApiError('unavailable', {
    message: 'The server is starting and waiting for its database; nothing was done; try again shortly.',
    retryAfterSeconds: RETRY_WHEN_STARTED_SECONDS,
  });
}

/** @returns the server of the metrics port, not yet listening: `/metrics`, `/healthz`, `/readyz` */
export function buildMetricsServer({
  observe,
  metrics,
  ...health
}: Pick<ServerResources, 'db' | 'observe' | 'watch'> & {
  queue: Pick<Queue, 'ping'>;
  metrics: MetricsPage;
}): FastifyInstance {
  const server = bareServer(observe, DEFAULT_LIMITS);
  for (const call of healthCalls) call.addTo(server, { ...health, ...DEFAULT_LIMITS });
  metricsCall.addTo(server, { metrics });
  return server;
}
