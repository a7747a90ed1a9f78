/** Builds the servers of a process: the API, the server of a separate metrics port, and the one that answers while starting. */
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../clock.ts';
import { openSessions } from '../console/accounts/sessions.ts';
import { guardHeaders } from './console/guard-headers.ts';
import { addMap } from './console/map.ts';
import { addConsolePages } from './console/pages.ts';
import { addOidc } from './console/oidc.ts';
import { addSignIn } from './console/sign-in.ts';
import { ApiError } from '../api/errors.ts';
import { type Observe, observeNothing } from '../observe.ts';
import type { Queue } from '../queue/queue.ts';
import { openStatus, type Status } from '../status/status.ts';
import { noTracer } from '../tracing/span.ts';
import { bareServer, DEFAULT_LIMITS } from './bare-server.ts';
import { openCallDeps, type ServerResources } from './call-deps.ts';
import { featureCalls } from './calls/every-call.ts';
import { healthCalls } from './calls/health.ts';
import { descriptionCalls, metricsCall, type MetricsPage } from './calls/service.ts';
import { apiDocument } from './openapi/document.ts';
import { limitBodies } from './load/body-budget.ts';
import { type ConnectionLimit, refuseSurplus } from './load/connections.ts';
import { shedOverload } from './load/overload.ts';
import { addRateLimits } from './rate-limit/rate-limit.ts';
import { addPageFiles } from './reference/reference-page.ts';
import { addWebFiles } from './reference/web-files.ts';
import { traceRequests } from './trace-requests.ts';

const RETRY_WHEN_STARTED_SECONDS = 5;

/** @returns the API server, not yet listening; its `close()` waits for requests in flight */
export function buildServer(resources: ServerResources): FastifyInstance {
  const { db, queue, clock, observe, metrics, watch } = resources;
  const limits = { ...DEFAULT_LIMITS, ...resources.limits };
  const server = bareServer(observe, limits, resources.trustedProxies);
  if (resources.trustedProxies === undefined) warnOfProxies(server, observe);
  const spans = traceRequests(server, resources.tracer ?? noTracer);
  acceptConnections(server, resources.connections);
  if (resources.overload !== undefined) {
    shedOverload(server, resources.overload);
    limitBodies(server, resources.overload.bodyBytesMax);
  }
  const rateLimits = addRateLimits(server, resources.rateLimits ?? {}, clock);
  const consoleAt = resources.console ?? 'here';
  const sessions =
    consoleAt === 'off'
      ? undefined
      : openSessions({ db, clock, requiresFactor: resources.requiresSecondFactor });
  const status =
    resources.status ?? statusOnDemand({ db, queue, watch, observe, timeoutMs: limits.readinessTimeoutMs });
  const opened = openCallDeps(server, resources, { limits, sessions, status, spans, rateLimits });
  const deps = { ...opened, document: JSON.stringify(apiDocument()) };
  for (const call of [...healthCalls, ...descriptionCalls, ...featureCalls]) call.addTo(server, deps);
  addPageFiles(server);
  addWebFiles(server);
  if (sessions !== undefined && consoleAt !== 'off') {
    void server.register(async (scope) => {
      if (consoleAt !== 'here') consoleAt.guard(scope);
      guardHeaders(scope);
      addConsolePages(scope);
      addMap(scope);
      addSignIn(scope, { ...resources, sessions, rateLimits, status });
      const { oidc } = resources;
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
