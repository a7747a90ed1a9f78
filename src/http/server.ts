/**
 * The HTTP API: gives every request an id, a size limit and a time limit, hands it to its route, and makes
 * every end of it an observation. The only room that knows Fastify; whoever calls listens and closes.
 */
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import type { Kysely } from 'kysely';
import { openKeyring } from '../apps/keyring.ts';
import type { SecretKey } from '../apps/seal.ts';
import { openTokenKeys } from '../apps/token-keys.ts';
import { openCountLimiter } from '../audiences/count-limiter.ts';
import { readSnapshot } from '../db/snapshot.ts';
import { openCountCache } from '../audiences/count-cache.ts';
import type { Clock } from '../clock.ts';
import { conditionOf } from '../db/database-error.ts';
import type { Database } from '../db/tables.ts';
import type { GeoIp } from '../devices/geoip.ts';
import { ApiError } from '../errors.ts';
import { stringifyJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { noTracer, type Tracer } from '../tracing/span.ts';
import { makeAuthentication } from './authenticate.ts';
import { parseBody, refuseEncoded } from './body.ts';
import { cutsConnection } from './cut-connection.ts';
import { loggableError, sendError, toApiError } from './error-reply.ts';
import { type Overload, shedOverload } from './overload.ts';
import { refuseUnknownNames } from './query.ts';
import { addRateLimits, type RateLimitSettings } from './rate-limit/rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import { addAudienceRoutes } from './routes/audiences.ts';
import { addDeviceImportRoute } from './routes/device-import.ts';
import { addDeviceRoutes } from './routes/devices.ts';
import { addDocumentationRoutes } from './routes/documentation.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addMetricsRoute, type MetricsPage } from './routes/metrics.ts';
import { addNotificationRoutes } from './routes/notifications.ts';
import { addStatsRoutes } from './routes/stats.ts';
import { addUserRoutes } from './routes/users.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';
import { traceRequests } from './trace-requests.ts';

interface ServerLimits {
  /** For a whole request to arrive; a client slower than that is cut with 408. */
  requestTimeoutMs: number;
  /** For a connection on which nothing moves at all, ours to answer included. */
  connectionTimeoutMs: number;
  /** For a connection between two requests. Longer than a load balancer's usual 60 seconds. */
  keepAliveTimeoutMs: number;
  /** For each dependency to answer `/readyz`. */
  readinessTimeoutMs: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  requestTimeoutMs: 30_000,
  connectionTimeoutMs: 90_000,
  keepAliveTimeoutMs: 72_000,
  readinessTimeoutMs: 2_000,
};

const NO_RATE_LIMITS: RateLimitSettings = {
  keyRequestsPerSecond: 0,
  addressRequestsPerSecond: 0,
  addressFailuresPerMinute: 0,
  redisUrl: undefined,
};

const COUNT_MAX_AGE_MS = 5_000;
const BODY_BYTES_MAX = 1024 * 1024;
const RETRY_WHEN_STARTED_SECONDS = 5;

export interface ServerResources {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add' | 'ping'>;
  /** Knows whether the disk of the database is full. Undefined: nobody watches it. */
  watch?: { readonly isFull: boolean };
  clock: Clock;
  /** Seals the secrets of webhooks and the keys of retired push tokens. */
  secret: SecretKey;
  observe: Observe;
  /** Undefined: nothing is traced. */
  tracer?: Tracer;
  limits?: Partial<ServerLimits>;
  /** How old the device count of a large audience may be when it is read. */
  countMaxAgeMs?: number;
  /** Whether webhooks may lead to private addresses and over plain HTTP. */
  webhooksMayBePrivate?: boolean;
  /** Locates registrations by their address. Undefined: none is. */
  geoip?: GeoIp | undefined;
  /** Undefined where metrics have a port of their own. */
  metrics?: MetricsPage | undefined;
  rateLimits?: RateLimitSettings;
  /** Undefined: no load is shed. */
  overload?: Overload;
  /** Whose `X-Forwarded-For` is believed: addresses and ranges, joined by commas. Undefined: nobody's. */
  trustedProxies?: string | undefined;
}

/** @returns the API, not yet listening; its `close()` waits for the requests in flight */
export function buildServer(resources: ServerResources): FastifyInstance {
  const { db, queue, watch, clock, secret, observe, metrics } = resources;
  const limits = { ...DEFAULT_LIMITS, ...resources.limits };
  const server = emptyServer(observe, limits, resources.trustedProxies);
  if (resources.trustedProxies === undefined) warnOfProxies(server, observe);
  const spans = traceRequests(server, resources.tracer ?? noTracer);
  if (resources.overload !== undefined) shedOverload(server, resources.overload);
  const rateLimits = addRateLimits(server, resources.rateLimits ?? NO_RATE_LIMITS, clock);
  const authentication = makeAuthentication(openKeyring({ db, clock }), rateLimits);
  addHealthRoutes(server, { db, queue, watch, timeoutMs: limits.readinessTimeoutMs });
  if (metrics !== undefined) addMetricsRoute(server, metrics);
  addDocumentationRoutes(server);
  refuseUnknownNames(server);
  addNotificationRoutes(server, { db, queue, clock, observe, authentication, spans });
  addStatsRoutes(server, { db, authentication });
  const countCache = openCountCache({
    clock,
    maxAgeMs: resources.countMaxAgeMs ?? COUNT_MAX_AGE_MS,
    readSnapshot: async () => readSnapshot(db),
  });
  addAudienceRoutes(server, { db, clock, authentication, countCache, countLimiter: openCountLimiter() });
  const tokenKeys = openTokenKeys(db, secret);
  addDeviceRoutes(server, { db, tokenKeys, clock, authentication, geoip: resources.geoip });
  addDeviceImportRoute(server, { db, tokenKeys, clock, authentication });
  addUserRoutes(server, { db, clock, authentication });
  const allowPrivate = resources.webhooksMayBePrivate ?? false;
  addWebhookRoutes(server, { db, secret, clock, authentication, allowPrivate });
  return server;
}

/** Where no proxy is trusted, a process tells once that there seems to be one. */
function warnOfProxies(server: FastifyInstance, observe: Observe): void {
  let isTold = false;
  server.addHook('onRequest', async ({ headers }) => {
    if (isTold || headers['x-forwarded-for'] === undefined) return;
    isTold = true;
    observe({ kind: 'proxy_not_trusted' });
  });
}

/** @returns the server of a process whose database does not answer yet, not yet listening: `/healthz`, `/readyz` */
export function buildWaitingServer({
  db,
  queue,
  observe,
}: Pick<ServerResources, 'db' | 'observe'> & { queue: Pick<Queue, 'ping'> }): FastifyInstance {
  const server = emptyServer(observe, DEFAULT_LIMITS);
  addHealthRoutes(server, { db, queue, timeoutMs: DEFAULT_LIMITS.readinessTimeoutMs });
  server.all('*', { onRequest: refuseWhileWaiting }, refuseWhileWaiting); // before a body is read
  return server;
}

async function refuseWhileWaiting(): Promise<never> {
  throw new ApiError('unavailable', {
    message: 'The server is starting and waits for its database; nothing was done; try again shortly.',
    retryAfterSeconds: RETRY_WHEN_STARTED_SECONDS,
  });
}

/** @returns the server of the metrics' own port, not yet listening: `/metrics`, `/healthz`, `/readyz` */
export function buildMetricsServer({
  db,
  queue,
  observe,
  metrics,
  watch,
}: Pick<ServerResources, 'db' | 'observe' | 'watch'> & {
  queue: Pick<Queue, 'ping'>;
  metrics: MetricsPage;
}): FastifyInstance {
  const server = emptyServer(observe, DEFAULT_LIMITS);
  addHealthRoutes(server, { db, queue, watch, timeoutMs: DEFAULT_LIMITS.readinessTimeoutMs });
  addMetricsRoute(server, metrics);
  return server;
}

function emptyServer(observe: Observe, limits: ServerLimits, trustedProxies?: string): FastifyInstance {
  const server = fastify({
    logger: false, // what happens is told through `observe`
    trustProxy: trustedProxies ?? false,
    genReqId: requestIdOf,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      // Node takes the smaller of the two for the headers, and its own default would be the larger one.
      headersTimeout: limits.requestTimeoutMs,
      // How often Node looks for overdue requests.
      connectionsCheckingInterval: Math.ceil(limits.requestTimeoutMs / 4),
    },
    clientErrorHandler: cutsConnection(observe),
    // While closing, what still comes in on an open connection is served, and the connection then closed.
    return503OnClosing: false,
    // A user id in an address: 255 characters of up to 12 bytes each, percent-encoded.
    // An address with a slash at its end is the same address.
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      // Fastify runs no hook for an address that it cannot read.
      void reply.header('x-request-id', request.id);
      fail(observe, error, request, reply);
      observeReply(observe, request, reply);
    },
  });

  server.setReplySerializer(stringifyJson); // keeps the exact numbers that `parseBody` has kept
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request);
      done(null, parseBody(body));
    } catch (error) {
      done(toApiError(error));
    }
  });

  server.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
    if (request.is404) refuseAddress(server, request, reply);
  });
  server.addHook('onResponse', async (request, reply) => observeReply(observe, request, reply));
  server.setErrorHandler((error, request, reply) => fail(observe, error, request, reply));
  return server;
}

function fail(observe: Observe, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const told = toApiError(error);
  // What is refused to shed load, or until the start is over, has no cause: nothing failed.
  if (told.status >= 500 && told.cause !== undefined) {
    const condition = conditionOf(told.cause);
    observe({
      kind: 'request_failed',
      ...named(request),
      error: loggableError(told),
      ...(condition !== undefined && { condition }),
    });
  }
  sendError(reply, told);
}

function observeReply(observe: Observe, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime: durationMs } = reply;
  observe({ kind: 'request_handled', ...named(request), status, durationMs });
}

/** The route and never the address: addresses hold ids of devices and of users. */
function named(request: FastifyRequest): { requestId: string; method: string; route: string } {
  return { requestId: request.id, method: request.method, route: request.routeOptions.url ?? 'unknown' };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const satisfies HTTPMethods[];

/** 404 for an address that is nothing, 405 for one that answers other methods; before any credentials. */
function refuseAddress(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): never {
  const allowed = METHODS.filter((method) => isRoute(server, method, request.url));
  if (allowed.length === 0) throw new ApiError('not_found');
  void reply.header('allow', allowed.join(', '));
  throw new ApiError('method_not_allowed');
}

function isRoute(server: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route: unknown = server.findRoute({ method, url }); // null, whatever its type says
  return route !== null;
}
