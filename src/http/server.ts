/** Builds the servers of a process: the API, the server of a separate metrics port, and the one that answers while starting. */
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { GatewayAddresses } from '../apps/credentials/ask-gateways.ts';
import { openKeyring } from '../apps/keyring.ts';
import type { SecretKey } from '../apps/seal.ts';
import { openUserTokens } from '../apps/identity/verify.ts';
import { openTokenKeys } from '../apps/token-keys.ts';
import { openCountCache } from '../audiences/count-cache.ts';
import { openSuggester } from '../targeting/suggest-values.ts';
import { openCountLimiter } from '../audiences/count-limiter.ts';
import { openWaitingCallers } from '../audiences/waiting-callers.ts';
import type { ChannelGateways } from '../channels/channel-gateways.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { WhoAddsApps } from '../console/accounts/add-app.ts';
import { openSessions } from '../console/accounts/sessions.ts';
import { guardHeaders } from './console/guard-headers.ts';
import { addMap } from './console/map.ts';
import type { OwnPort } from './console/own-port.ts';
import { addConsolePages } from './console/pages.ts';
import { addOidc, type OidcSettings } from './console/oidc.ts';
import { addSignIn } from './console/sign-in.ts';
import { readSnapshot } from '../db/snapshot.ts';
import type { Database } from '../db/tables.ts';
import type { DatabaseWatch } from '../db/watch-database.ts';
import { openReceipts } from '../results/receipts/receipts.ts';
import { openLiveViews } from '../results/report/live.ts';
import { NO_OTHER_HOSTS, type WebPushHosts } from '../gateways/web-push/hosts.ts';
import type { GeoIp } from '../devices/address/geoip.ts';
import { openRegistrations } from '../devices/registrations/open-registrations.ts';
import { ApiError } from '../api/errors.ts';
import { type DirectStart, openIntake } from '../notifications/intake/intake.ts';
import { type Observe, observeNothing } from '../observe.ts';
import type { Replica } from '../db/replica/replica.ts';
import type { Queue } from '../queue/queue.ts';
import { openStatus, type Status } from '../status/status.ts';
import { noTracer, type Tracer } from '../tracing/span.ts';
import { makeAuthentication } from './authenticate.ts';
import { bareServer, DEFAULT_LIMITS, type ServerLimits } from './bare-server.ts';
import { featureCalls } from './calls/every-call.ts';
import { healthCalls } from './calls/health.ts';
import { descriptionCalls, metricsCall, type MetricsPage } from './calls/service.ts';
import { apiDocument } from './openapi/document.ts';
import { limitBodies } from './load/body-budget.ts';
import { type ConnectionLimit, refuseSurplus } from './load/connections.ts';
import { type Overload, shedOverload } from './load/overload.ts';
import { addRateLimits, type RateLimitSettings } from './rate-limit/rate-limit.ts';
import { addPageFiles } from './reference/reference-page.ts';
import { addWebFiles } from './reference/web-files.ts';
import { traceRequests } from './trace-requests.ts';

const NO_RATE_LIMITS: RateLimitSettings = {
  keyRequestsPerSecond: 0,
  addressRequestsPerSecond: 0,
  addressFailuresPerMinute: 0,
  redisUrl: undefined,
};

const COUNT_MAX_AGE_MS = 5_000;
const FCM_PUSHES_PER_MINUTE = 600_000;
const RETRY_WHEN_STARTED_SECONDS = 5;

export interface ServerResources {
  db: Kysely<Database>;
  /** Answers calls whose reply may be some seconds old. Undefined: there is no replica. */
  replica?: Replica | undefined;
  queue: Pick<Queue, 'add' | 'ping'>;
  /** The list of troubles; undefined: it is made for each call that asks for it. */
  status?: Status | undefined;
  /** Claims and sends notifications as soon as they are stored. Undefined: this process is no worker. */
  direct?: DirectStart | undefined;
  /** Whether the disk of the database is full. Undefined: it is not watched. */
  watch?: Pick<DatabaseWatch, 'isFull' | 'trouble'>;
  /** For broadcast channels. Undefined: this process has no connection to Apple. */
  channels?: ChannelGateways | undefined;
  /** Has the sender of broadcasts in this process look for work. Undefined: it has none. */
  wakeChannels?: (() => void) | undefined;
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
  /** Undefined: only the push services of the browsers are allowed. */
  webPushHosts?: WebPushHosts | undefined;
  /** Undefined if metrics have a port of their own. */
  metrics?: MetricsPage | undefined;
  rateLimits?: RateLimitSettings;
  /** Undefined: no load is shed. */
  overload?: Overload;
  /** Shared by all servers of the process. Undefined: connections are not limited. */
  connections?: ConnectionLimit;
  /** Addresses and ranges, joined by commas, whose `X-Forwarded-For` is trusted. Undefined: none. */
  trustedProxies?: string | undefined;
  /** Google's quota for a Firebase project, which live views name. */
  fcmPushesPerMinute?: number;
  /** Undefined: users of the console sign in with passwords only. */
  oidc?: OidcSettings | undefined;
  /** Where `/console` is served: nowhere, with the API (the default), or only at a port of its own. */
  console?: 'off' | 'here' | OwnPort;
  /** Whether users of the console need a second factor. */
  requiresSecondFactor?: boolean;
  /** Which users of the console add apps; those who are admin of one by default. */
  whoAddsApps?: WhoAddsApps;
  /** Whether this is the server of `carillon demo`, which the console says. */
  isDemo?: boolean;
  /** For the check of new credentials. Undefined: they can only be stored unchecked. */
  gatewayAddresses?: GatewayAddresses | undefined;
}

/** @returns the API server, not yet listening; its `close()` waits for requests in flight */
export function buildServer(resources: ServerResources): FastifyInstance {
  const { db, queue, clock, secret, observe, metrics, watch } = resources;
  const limits = { ...DEFAULT_LIMITS, ...resources.limits };
  const server = bareServer(observe, limits, resources.trustedProxies);
  if (resources.trustedProxies === undefined) warnOfProxies(server, observe);
  const spans = traceRequests(server, resources.tracer ?? noTracer);
  acceptConnections(server, resources.connections);
  if (resources.overload !== undefined) {
    shedOverload(server, resources.overload);
    limitBodies(server, resources.overload.bodyBytesMax);
  }
  const rateLimits = addRateLimits(server, resources.rateLimits ?? NO_RATE_LIMITS, clock);
  const tokenKeys = openTokenKeys(db, secret);
  const consoleAt = resources.console ?? 'here';
  const sessions =
    consoleAt === 'off'
      ? undefined
      : openSessions({ db, clock, requiresFactor: resources.requiresSecondFactor });
  const keyring = openKeyring({ db, clock });
  const countLimiter = openCountLimiter();
  const status =
    resources.status ?? statusOnDemand({ db, queue, watch, observe, timeoutMs: limits.readinessTimeoutMs });
  const live = openLiveViews({
    db,
    status,
    secret,
    clock,
    fcmPushesPerMinute: resources.fcmPushesPerMinute ?? FCM_PUSHES_PER_MINUTE,
  });
  // Open streams would keep the server from closing.
  server.addHook('preClose', async () => live.close());
  const openCaches = (of: Kysely<Database>, snapshot: () => Promise<string>) => ({
    db: of,
    countCache: openCountCache({
      clock,
      maxAgeMs: resources.countMaxAgeMs ?? COUNT_MAX_AGE_MS,
      readSnapshot: snapshot,
    }),
  });
  const { replica } = resources;
  const caches = openCaches(db, async () => readSnapshot(db));
  // A replica cannot say whether anything was written: its snapshots do not list what is in progress.
  const instead = replica && openCaches(replica.db, async () => replica.snapshot());
  const deps = {
    ...resources,
    ...limits,
    ...caches,
    countCache: {
      ...caches.countCache,
      forget: (key: string) => {
        caches.countCache.forget(key);
        instead?.countCache.forget(key);
      },
    },
    status,
    replicaReads: replica && instead && { replica, instead },
    authentication: makeAuthentication(server, { keyring, sessions, status }, rateLimits),
    forgetCallers: () => {
      keyring.clear();
      sessions?.clear();
    },
    spans,
    // Has nothing to close: the server waits for the calls in it.
    intake: openIntake({ db, queue, clock, observe, direct: resources.direct }),
    // Like the intake, it has nothing to close.
    receipts: openReceipts({ db, clock }),
    countLimiter,
    countCallers: openWaitingCallers(),
    suggester: openSuggester(),
    tokenKeys,
    userTokens: openUserTokens({ db, secret, clock, observe }),
    registrations: openRegistrations({ db, tokenKeys, clock }),
    live,
    geoip: resources.geoip,
    webPushHosts: resources.webPushHosts ?? NO_OTHER_HOSTS,
    channels: resources.channels,
    wakeChannels: resources.wakeChannels ?? (() => undefined),
    webhooksMayBePrivate: resources.webhooksMayBePrivate ?? false,
    document: JSON.stringify(apiDocument()),
  };
  for (const call of [...healthCalls, ...descriptionCalls, ...featureCalls]) call.addTo(server, deps);
  addPageFiles(server);
  addWebFiles(server);
  if (sessions !== undefined && consoleAt !== 'off') {
    void server.register(async (scope) => {
      if (consoleAt !== 'here') consoleAt.guard(scope);
      guardHeaders(scope);
      addConsolePages(scope);
      addMap(scope);
      const { oidc, whoAddsApps, isDemo } = resources;
      addSignIn(scope, {
        db,
        clock,
        secret,
        sessions,
        rateLimits,
        status,
        observe,
        oidc,
        whoAddsApps,
        isDemo,
      });
      if (oidc !== undefined) addOidc(scope, oidc, { db, clock, rateLimits, observe });
    });
  }
  if (metrics !== undefined) metricsCall.addTo(server, { metrics });
  return server;
}

/** The list of troubles, looked up for each call. */
function statusOnDemand({
  db,
  queue,
  watch,
  observe,
  timeoutMs = DEFAULT_LIMITS.readinessTimeoutMs,
}: Pick<ServerResources, 'db' | 'observe'> & {
  queue: Pick<Queue, 'ping'>;
  watch?: ServerResources['watch'] | undefined;
  timeoutMs?: number;
}): Status {
  return openStatus({ db: () => db, queue, watch, observe, clock: systemClock, timeoutMs });
}

function acceptConnections(server: FastifyInstance, limit: ConnectionLimit | undefined): void {
  if (limit === undefined) return;
  limit.count(server.server);
  refuseSurplus(server, limit);
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
  connections,
}: Pick<ServerResources, 'db' | 'observe' | 'connections'> & {
  queue: Pick<Queue, 'ping'>;
}): FastifyInstance {
  const server = bareServer(observe, DEFAULT_LIMITS);
  acceptConnections(server, connections);
  const status = statusOnDemand({ db, queue, observe: observeNothing });
  for (const call of healthCalls) call.addTo(server, { status });
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
  connections,
  ...health
}: Pick<ServerResources, 'db' | 'observe' | 'status' | 'watch' | 'connections'> & {
  queue: Pick<Queue, 'ping'>;
  metrics: MetricsPage;
}): FastifyInstance {
  const { status = statusOnDemand({ ...health, observe }) } = health;
  const server = bareServer(observe, DEFAULT_LIMITS);
  acceptConnections(server, connections);
  for (const call of healthCalls) call.addTo(server, { status });
  metricsCall.addTo(server, { metrics });
  return server;
}
