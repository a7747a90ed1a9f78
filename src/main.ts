/** One server process: opens its resources, starts its roles (API, worker or both), and closes everything in reverse. */
import { openTokenKeys } from './apps/token-keys.ts';
import { whenDatabaseAnswers } from './process/await-database.ts';
import { expireAudiencesJob } from './audiences/expire.ts';
import { type BulkThreads, startBulkThreads } from './bulk/start-threads.ts';
import { releaseBroadcasts } from './channels/broadcast-store.ts';
import { collectChannelsJob } from './channels/collect.ts';
import type { ChannelGateways } from './channels/channel-gateways.ts';
import { startChannelSender } from './channels/send.ts';
import { listen, listenOn } from './http/listen.ts';
import { limitConnections } from './http/load/connections.ts';
import { overload } from './http/load/overload.ts';
import { buildMetricsServer, buildServer, buildWaitingServer } from './http/server.ts';
import { type Clock, systemClock } from './clock.ts';
import { makeOwnPort } from './http/console/own-port.ts';
import type { Config } from './process/config.ts';
import { openConfiguredChannels, openConfiguredGateways } from './bulk/configured-gateways.ts';
import { openConfiguredGeoIp, openConfiguredQueue, openConfiguredReplica } from './process/configured.ts';
import { checkContainerMemory, containerBytes } from './process/container-memory.ts';
import { readConnectionsMax, watchDescriptors } from './process/descriptors.ts';
import { openPresence } from './db/outages/presence.ts';
import { openDatabaseClock } from './db/state/database-clock.ts';
import { type DatabaseWatch, watchDatabase } from './db/watch-database.ts';
import { openProgressLog } from './delivery/upkeep/progress-log.ts';
import { openRetryLog } from './delivery/upkeep/retry-log.ts';
import { fillRecipientsJob } from './delivery/upkeep/fill-recipients.ts';
import { pruneJob } from './delivery/upkeep/prune.ts';
import { hasLeasedBulkSlice, LEASE_MS } from './delivery/slice-store.ts';
import { freeWorkInProgress } from './delivery/upkeep/free-work.ts';
import { startDeliveryWorker } from './delivery/worker.ts';
import { wipeRetiredTokensJob } from './devices/tokens/restore.ts';
import { removeUnverifiedUsersJob } from './devices/proof/unverified-users.ts';
import { buildBitmapsJob } from './targeting/bitmaps/build.ts';
import { indexDeferredRowsJob } from './targeting/rows/index-deferred.ts';
import { countReceiptsJob } from './results/receipts/count.ts';
import { countOf, UnsavedOutcomes, unsavedCounters } from './delivery/outcomes/unsaved-outcomes.ts';
import { openMetrics } from './metrics/metrics.ts';
import type { DirectStart } from './notifications/intake/intake.ts';
import type { Observe } from './observe.ts';
import { countDevicesJob } from './results/overview/count-devices.ts';
import { countHoursJob } from './results/overview/count-hours.ts';
import type { RedisQueue } from './queue/bullmq-queue.ts';
import { startPeriodicJobs } from './queue/periodic-jobs.ts';
import type { Queue } from './queue/queue.ts';
import { boundRepeats } from './process/log/repeated-errors.ts';
import { metricsPage } from './process/metrics-page.ts';
import { learnTimeZones } from './process/known-zones.ts';
import { openResources, type Resources } from './process/resources.ts';
import { openPulse } from './status/pulse.ts';
import { openStatus, type Status } from './status/status.ts';
import { openTracer } from './tracing/open-tracer.ts';
import type { Tracer } from './tracing/span.ts';
import { resolveBySystem } from './proxy/public-addresses.ts';
import { startWebhookWorker } from './webhooks/worker.ts';

export type Server = Awaited<ReturnType<typeof startServer>>;

/** Another server already uses this `DATA_DIR`. */
class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Starts the roles that the settings name. While the database does not answer, it waits for it.
 * @param stop ends that wait
 * @throws {DirectoryInUse} if another server runs on the same embedded database; otherwise the reason of `stop`
 */
export async function startServer(
  config: Config,
  write: Observe,
  stop: AbortSignal = new AbortController().signal,
) {
  const log = boundRepeats({ observe: write, clock: systemClock });
  const metrics = openMetrics();
  const logProgress = openProgressLog({ observe: log, clock: systemClock });
  const logRetries = openRetryLog({ observe: log, clock: systemClock });
  const watch = watchDatabase({
    db: () => ready?.db,
    ownDb: () => ready?.watchDb,
    clock: systemClock,
    observe: log,
  });
  const observe: Observe = (observation) => {
    log(observation);
    metrics.observe(observation);
    logProgress(observation);
    logRetries(observation);
    watch.observe(observation);
    status?.observe(observation);
  };
  /** For the bulk threads, which count their own metrics. */
  const logThreads: Observe = (observation) => {
    log(observation);
    watch.observe(observation);
    status?.observe(observation);
  };
  let status: Status | undefined;
  let ready: Resources | undefined;
  const unsaved = unsavedCounters();
  // Everything that is opened, closed in reverse order, even if some of it fails to close.
  const opened = new AsyncDisposableStack();
  /** Accepts no new request, finishes those in flight, hands unfinished slices on, closes everything. */
  const close = async (): Promise<void> => {
    await opened.disposeAsync();
    observe({ kind: 'stopped' });
  };
  try {
    opened.defer(() => watch.close());
    const { tracer, close: closeTracing } = await openTracer(config, observe);
    opened.defer(closeTracing);
    const { queue, redis } = await openConfiguredQueue(config, observe);
    opened.defer(async () => queue.close());
    const listed = openStatus({
      db: () => ready?.watchDb,
      queue,
      watch,
      clock: systemClock,
      observe,
      dataDir: config.databaseUrl === undefined ? config.dataDir : undefined,
    });
    status = listed;
    const { host, port, metricsPort } = config;
    opened.defer(watchDescriptors(observe));
    checkContainerMemory(config.role, observe);
    const connections = limitConnections(readConnectionsMax(config.role, observe), observe);
    const ports = config.role === 'worker' ? [metricsPort] : [port, metricsPort];
    const resources = await openResources(config, observe, async (attempt, db) =>
      whenDatabaseAnswers(attempt, {
        serveMeanwhile: async () =>
          listenOn(() => buildWaitingServer({ db, queue, observe, connections }), host, ports),
        observe,
        stop,
      }),
    );
    opened.defer(async () => resources.close());
    opened.defer(async () => listed.close());
    if (!(await resources.holdForServer())) {
      throw new DirectoryInUse(
        `another server is running on ${config.dataDir}; stop it, or set DATA_DIR to another directory`,
      );
    }
    const { db } = resources;
    const { clock, close: closeClock } = await openDatabaseClock(resources.watchDb);
    opened.defer(closeClock);
    // No other process uses the directory: slices that are leased were left by a server that was killed, and need not
    // wait until their leases have run out.
    if (config.databaseUrl === undefined) {
      await freeWorkInProgress(db, clock());
      await releaseBroadcasts(db, clock());
    }
    ready = resources;
    await learnTimeZones(db, observe);
    let bulk: BulkThreads | undefined;
    let direct: DirectStart | undefined;
    let wakeChannels: (() => void) | undefined;
    const channels = openConfiguredChannels(config, { db, secret: resources.secret, clock, observe });
    opened.defer(async () => channels.close());
    const replica = openConfiguredReplica(config, { primary: db, observe }, opened);
    const sources = { ...resources, clock, queue, replica, status: listed };
    const page = metricsPage(metrics, sources, async () => bulk?.readCounts());
    let metricsUrl: string | undefined;
    if (metricsPort !== undefined) {
      const server = buildMetricsServer({
        db,
        queue,
        status: listed,
        observe,
        metrics: page,
        watch,
        connections,
      });
      metricsUrl = await listen(server, { host, port: metricsPort }, opened);
      observe({ kind: 'metrics_listening', url: metricsUrl });
    }
    if (config.role !== 'api') {
      const threads = await startBulkThreads(config, resources.databaseUrl, logThreads);
      opened.defer(async () => threads.close());
      bulk = threads;
      const shared = { config, resources, clock, queue, redis, observe, tracer, bulk, watch, channels };
      ({ direct, wakeChannels } = startWorker({ ...shared, unsaved, status: listed }, opened));
      observe({ kind: 'worker_started', queue: redis === undefined ? 'in-process' : 'redis' });
    }
    // After its own worker, which takes seconds to start on a busy machine and would be missed.
    await listed.start();
    let url: string | undefined;
    let consoleUrl: string | undefined;
    if (config.role !== 'worker') {
      const { consolePort } = config;
      const ownPort =
        config.console && consolePort !== undefined ? makeOwnPort(observe, connections) : undefined;
      const server = buildServer({
        db,
        replica,
        queue,
        direct,
        channels,
        wakeChannels,
        watch,
        status: listed,
        clock,
        secret: resources.secret,
        observe,
        tracer,
        metrics: metricsPort === undefined ? page : undefined,
        countMaxAgeMs: config.audienceCountMaxAgeSeconds * 1_000,
        oidc: config.oidc,
        requiresSecondFactor: config.requiresSecondFactor,
        whoAddsApps: config.whoAddsApps,
        isDemo: config.isDemo,
        rateLimits: config,
        trustedProxies: config.trustedProxies,
        overload: { ...overload, residentBytesMax: 0.9 * containerBytes() },
        connections,
        gatewayAddresses: config,
        webhooksMayBePrivate: config.webhookAllowPrivate,
        fcmPushesPerMinute: config.fcmPushesPerMinute,
        webPushHosts: config.webPushHosts,
        geoip: await openConfiguredGeoIp(config, observe, opened),
        console: config.console ? (ownPort ?? 'here') : 'off',
      });
      url = await listen(server, { host, port }, opened);
      observe({ kind: 'server_listening', url });
      if (config.console) consoleUrl = `${url}/console`;
      if (ownPort !== undefined && consolePort !== undefined) {
        consoleUrl = `${await ownPort.listen(server, { host, port: consolePort })}/console`;
        observe({ kind: 'console_listening', url: consoleUrl });
      }
    }
    return {
      /** Address of the API; undefined for a process that is only a worker. */
      url,
      /** Address of the console; undefined if it is off. */
      consoleUrl,
      /** Address of the metrics, if they have a port of their own. */
      metricsUrl,
      resources,
      close,
      /** Outcomes of pushes that the database does not have yet. */
      unsaved: () => countOf(unsaved) + (bulk?.unsaved() ?? 0),
      /** For a process that exits without `close()`: leaves the embedded database, which stops when no process uses it. */
      abandon: async () => resources.abandon(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface WorkerOptions {
  config: Config;
  resources: Resources;
  clock: Clock;
  queue: Queue;
  redis: RedisQueue | undefined;
  observe: Observe;
  tracer: Tracer;
  bulk: BulkThreads;
  unsaved: Int32Array;
  watch: DatabaseWatch;
  status: Status;
  channels: ChannelGateways;
}

/** Starts a worker; its bulk lane is in the bulk threads. @returns what an API in this process starts directly */
function startWorker(
  options: WorkerOptions,
  opened: AsyncDisposableStack,
): { direct: DirectStart; wakeChannels: () => void } {
  const { config, clock, queue, redis, observe, tracer, bulk, watch, channels } = options;
  const { db, secret } = options.resources;
  const gateways = openConfiguredGateways(config, { db, secret, clock, observe });
  opened.defer(async () => gateways.close());
  const webhooks = startWebhookWorker({
    db,
    secret,
    clock,
    observe,
    random: Math.random,
    allowPrivate: config.webhookAllowPrivate,
    resolve: resolveBySystem,
    proxy: config.proxy,
  });
  opened.defer(async () => webhooks.close());
  const channelSender = startChannelSender({ db, gateways: channels, clock, observe, random: Math.random });
  opened.defer(async () => channelSender.close());
  const pulse = openPulse(db, () => [...gateways.troubles(), ...options.status.own()]);
  const presence = openPresence({ ask: async () => pulse.beat(), clock });
  opened.defer(async () => {
    presence.close();
    await pulse.stop();
  });
  const worker = startDeliveryWorker({
    db,
    queue,
    gateways,
    tokenKeys: openTokenKeys(db, secret),
    bulk,
    isFull: () => watch.isFull,
    // The direct lane has at most a hundred devices per notification, so its gateways need not slow down for unsaved outcomes.
    unsaved: new UnsavedOutcomes(options.unsaved),
    clock,
    mayTakeOver: () => presence.hasLasted(LEASE_MS),
    observe,
    tracer,
    random: Math.random,
  });
  opened.defer(async () => worker.close());
  const { keepDeliveriesDays: keepDays, expireAudiencesDays: expireDays } = config;
  const { keepEndedChannelsHours: keepEndedHours, keepUnusedChannelsDays: keepUnusedDays } = config;
  const periodic = startPeriodicJobs(
    [
      worker.sweep,
      pruneJob({ db, clock, observe, keepDays }),
      fillRecipientsJob(db, clock),
      countReceiptsJob({ db, clock, observe }),
      wipeRetiredTokensJob(db, clock),
      removeUnverifiedUsersJob(db, clock),
      ...(expireDays > 0 ? [expireAudiencesJob({ db, clock, observe, expireDays })] : []),
      indexDeferredRowsJob(db, observe),
      buildBitmapsJob({ db, clock, observe, isSendingBulk: async () => hasLeasedBulkSlice(db, clock()) }),
      countHoursJob(db, clock),
      countDevicesJob(db, clock),
      collectChannelsJob({ db, gateways: channels, clock, observe, keepEndedHours, keepUnusedDays }),
    ],
    observe,
    redis,
  );
  opened.defer(async () => periodic.close());
  return { direct: worker.direct, wakeChannels: () => channelSender.wake() };
}
