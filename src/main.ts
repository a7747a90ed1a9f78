/** One server process: resources → roles → drain. It can be the API, a worker, or both. */
import { openTokenKeys } from './apps/token-keys.ts';
import { whenDatabaseAnswers } from './process/await-database.ts';
import { expireAudiencesJob } from './audiences/expire.ts';
import { type Broadcasts, startBroadcasts } from './broadcasts/broadcasts.ts';
import { overload } from './http/overload.ts';
import { buildMetricsServer, buildServer, buildWaitingServer } from './http/server.ts';
import type { MetricsPage } from './http/calls/service.ts';
import { systemClock } from './clock.ts';
import { type Config, ConfigError } from './process/config.ts';
import { openConfiguredGateways } from './process/configured-gateways.ts';
import { type DatabaseWatch, watchDatabase } from './db/watch-database.ts';
import { readLagMs } from './delivery/upkeep/lag.ts';
import { openProgressLog } from './delivery/upkeep/progress-log.ts';
import { pruneJob } from './delivery/upkeep/prune.ts';
import { releaseSlices } from './delivery/slice-store.ts';
import { startDeliveryWorker } from './delivery/worker.ts';
import { type GeoIp, openGeoIp } from './devices/geoip.ts';
import { wipeRetiredTokensJob } from './devices/tokens/restore.ts';
import { buildBitmapsJob } from './targeting/bitmaps/build.ts';
import { indexDeferredRowsJob } from './targeting/rows/index-deferred.ts';
import { UnsavedOutcomes } from './delivery/outcomes/unsaved-outcomes.ts';
import { type Counts, type Metrics, openMetrics } from './metrics/metrics.ts';
import { keptFor, openSampledGauges } from './metrics/sampled-gauges.ts';
import type { Observe } from './observe.ts';
import { openInProcessQueue } from './queue/in-process.ts';
import { startPeriodicTimers } from './queue/periodic-jobs.ts';
import type { Queue } from './queue/queue.ts';
import { openRedisQueue } from './queue/redis-queue.ts';
import { withFallback } from './queue/with-fallback.ts';
import { openResources, type Resources } from './process/resources.ts';
import { openTracer } from './tracing/open-tracer.ts';
import type { Tracer } from './tracing/span.ts';
import { resolveBySystem } from './webhooks/addresses.ts';
import { startWebhookWorker } from './webhooks/worker.ts';

export interface Server {
  /** Where the API listens; undefined for a process that is only a worker. */
  url: string | undefined;
  /** Where metrics are served, if on a port of their own. */
  metricsUrl: string | undefined;
  resources: Resources;
  /** Answers no new request, finishes those in flight, hands unfinished slices on, closes everything. */
  close(): Promise<void>;
  /** For a process that is about to end without that: leaves the embedded database, which stops where nobody uses it. */
  abandon(): Promise<void>;
}

const CLOSE_IDLE_EVERY_MS = 100;

/** A second server on a `DATA_DIR` that one holds already. */
class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Starts the roles that the settings name. Where the database does not answer, it waits for it.
 * @param stop gives that wait up
 * @throws {DirectoryInUse} where another server runs on the same embedded database; the reason of `stop`
 */
export async function startServer(
  config: Config,
  log: Observe,
  stop: AbortSignal = new AbortController().signal,
): Promise<Server> {
  const metrics = openMetrics();
  const logProgress = openProgressLog({ observe: log, clock: systemClock });
  const watch = watchDatabase({ db: () => database, clock: systemClock, observe: log });
  const observe: Observe = (observation) => {
    log(observation);
    metrics.observe(observation);
    logProgress(observation);
    watch.observe(observation);
  };
  /** Of the thread of broadcasts, which counts for itself. */
  const logThread: Observe = (observation) => {
    log(observation);
    watch.observe(observation);
  };
  let database: Resources['db'] | undefined;
  // Closed in the reverse of the order in which they were opened.
  const opened: (() => Promise<void>)[] = [async () => watch.close()];
  const close = async (): Promise<void> => {
    while (opened.length > 0) await opened.pop()?.();
    observe({ kind: 'stopped' });
  };
  try {
    const { tracer, close: closeTracing } = await openTracer(config, observe);
    opened.push(closeTracing);
    const queue = openQueue(config, observe);
    opened.push(async () => queue.close());
    const { host, port, metricsPort } = config;
    const ports = config.role === 'worker' ? [metricsPort] : [port, metricsPort];
    const resources = await openResources(config, observe, async (attempt, db) =>
      whenDatabaseAnswers(attempt, {
        serveMeanwhile: async () => serveWhileWaiting({ db, queue, observe }, host, ports),
        observe,
        stop,
      }),
    );
    opened.push(async () => resources.close());
    if (!(await resources.claimForServer())) {
      throw new DirectoryInUse(
        `another server is running on ${config.dataDir}; stop it, or set DATA_DIR to another directory`,
      );
    }
    // The directory is ours alone now: what is still leased was left by a server that was killed, and its
    // users need not wait until the leases have run out.
    if (config.databaseUrl === undefined) await releaseSlices(resources.db, systemClock());
    const { db } = resources;
    database = db;
    let broadcasts: Broadcasts | undefined;
    const page = metricsPage(metrics, resources, queue, async () => broadcasts?.readCounts());
    let metricsUrl: string | undefined;
    if (metricsPort !== undefined) {
      const server = buildMetricsServer({ db, queue, observe, metrics: page, watch });
      metricsUrl = await listen(server, { host, port: metricsPort }, opened);
      observe({ kind: 'metrics_listening', url: metricsUrl });
    }
    if (config.role !== 'api') {
      const { databaseUrl } = resources;
      broadcasts = await startBroadcasts({ config, databaseUrl }, logThread);
      opened.push(startWorker({ config, resources, queue, observe, tracer, broadcasts, watch }));
      observe({ kind: 'worker_started', queue: config.redisUrl === undefined ? 'in-process' : 'redis' });
    }
    let url: string | undefined;
    if (config.role !== 'worker') {
      const pageHere = metricsPort === undefined ? page : undefined;
      const server = buildServer({
        db,
        queue,
        watch,
        clock: systemClock,
        secret: resources.secret,
        observe,
        tracer,
        metrics: pageHere,
        countMaxAgeMs: config.audienceCountMaxAgeSeconds * 1_000,
        rateLimits: config,
        trustedProxies: config.trustedProxies,
        overload,
        webhooksMayBePrivate: config.webhookAllowPrivate,
        geoip: await openConfiguredGeoIp(config, observe, opened),
      });
      url = await listen(server, { host, port }, opened);
      observe({ kind: 'server_listening', url });
    }
    return { url, metricsUrl, resources, close, abandon: async () => resources.abandon() };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns what ends it; the ports are free again then */
async function serveWhileWaiting(
  resources: Parameters<typeof buildWaitingServer>[0],
  host: string,
  ports: readonly (number | undefined)[],
): Promise<() => Promise<void>> {
  const opened: (() => Promise<void>)[] = [];
  for (const port of ports) {
    if (port !== undefined) await listen(buildWaitingServer(resources), { host, port }, opened);
  }
  return async () => {
    await Promise.all(opened.map(async (close) => close()));
  };
}

/** @throws {ConfigError} where the file is no database that can be read */
async function openConfiguredGeoIp(
  { geoipDatabase: file }: Config,
  observe: Observe,
  opened: (() => Promise<void>)[],
): Promise<GeoIp | undefined> {
  if (file === undefined) return undefined;
  const geoip = await openGeoIp(file, observe).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`GEOIP_DATABASE cannot be read (${file}: ${reason})`]);
  });
  opened.push(async () => geoip.close());
  return geoip;
}

function openQueue(config: Config, observe: Observe): Queue {
  const inside = openInProcessQueue({ observe });
  if (config.redisUrl === undefined) return inside;
  return withFallback(openRedisQueue({ redisUrl: config.redisUrl, clock: systemClock, observe }), inside);
}

interface WorkerOptions {
  config: Config;
  resources: Resources;
  queue: Queue;
  observe: Observe;
  tracer: Tracer;
  broadcasts: Broadcasts;
  watch: DatabaseWatch;
}

/** All of a worker but what is in the thread of broadcasts, which is closed with it. */
function startWorker(options: WorkerOptions): () => Promise<void> {
  const { config, queue, observe, tracer, broadcasts, watch } = options;
  const { db, secret } = options.resources;
  const clock = systemClock;
  const gateways = openConfiguredGateways(config, { db, secret, observe });
  const worker = startDeliveryWorker({
    db,
    queue,
    gateways,
    tokenKeys: openTokenKeys(db, secret),
    broadcasts: broadcasts.deliver,
    isFull: () => watch.isFull,
    unsaved: new UnsavedOutcomes(), // of a hundred devices at most: nothing is held back for them
    clock,
    observe,
    tracer,
    random: Math.random,
  });
  const webhooks = startWebhookWorker({
    db,
    secret,
    clock,
    observe,
    random: Math.random,
    allowPrivate: config.webhookAllowPrivate,
    resolve: resolveBySystem,
  });
  const { keepDeliveriesDays: keepDays, expireAudiencesDays: expireDays } = config;
  const periodic = startPeriodicTimers(
    [
      pruneJob({ db, clock, observe, keepDays }),
      wipeRetiredTokensJob(db, clock),
      ...(expireDays > 0 ? [expireAudiencesJob({ db, clock, observe, expireDays })] : []),
      indexDeferredRowsJob(db, observe),
      buildBitmapsJob(db, observe),
    ],
    observe,
  );
  return async () => {
    await periodic.close();
    await worker.close();
    await broadcasts.close();
    await webhooks.close();
    await gateways.close();
  };
}

function metricsPage(
  metrics: Metrics,
  { db, poolUse }: Resources,
  queue: Queue,
  readElsewhere: () => Promise<Counts | undefined>,
): MetricsPage {
  const read = openSampledGauges({
    clock: systemClock,
    queueJobs: async () => queue.depth(),
    lagMs: async () => readLagMs(db, systemClock()),
    pool: poolUse,
  });
  const readThread = keptFor(readElsewhere, systemClock);
  return {
    contentType: metrics.contentType,
    write: async () => metrics.write(await read(), await readThread()),
  };
}

/** @returns the address; the server is closed with what else is in `opened` */
async function listen(
  server: ReturnType<typeof buildServer>,
  address: { host: string; port: number },
  opened: (() => Promise<void>)[],
): Promise<string> {
  opened.push(async () => {
    // Closing ends the connections that are idle at that moment. One whose request is answered afterwards
    // would stay open for the whole of the keep-alive time.
    const sweep = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    await server.close().finally(() => clearInterval(sweep));
  });
  return server.listen(address);
}
