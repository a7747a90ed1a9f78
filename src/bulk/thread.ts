/**
 * The code of the bulk thread: delivers slices of the bulk lane, with gateways and database connections of its own.
 * `start-thread.ts` starts it and sends it the jobs; the queue stays in the first thread.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { giveEachAddressTime } from '../process/address-attempts.ts';
import { openTokenKeys } from '../apps/token-keys.ts';
import { systemClock } from '../clock.ts';
import { openConfiguredGateways } from './configured-gateways.ts';
import { bulkConnectionsMax, databaseOn, openPool, poolUseOf } from '../db/connect.ts';
import { openPresence } from '../db/outages/presence.ts';
import { openDatabaseClock } from '../db/state/database-clock.ts';
import { outageOf } from '../db/watch-database.ts';
import { openProgressLog } from '../delivery/upkeep/progress-log.ts';
import { openRetryLog } from '../delivery/upkeep/retry-log.ts';
import { sliceDeliverer } from '../delivery/worker.ts';
import { LEASE_MS } from '../delivery/slice-store.ts';
import { UnsavedOutcomes } from '../delivery/outcomes/unsaved-outcomes.ts';
import { isLogged, logsPushes } from '../process/log/log.ts';
import { openCounter } from '../metrics/metrics.ts';
import { isAtPushRate, type Observe } from '../observe.ts';
import { runJob } from '../queue/job.ts';
import { readSecretKey } from '../process/resources.ts';
import { openTracer } from '../tracing/open-tracer.ts';
import { openPulse } from '../status/pulse.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** Below the first thread, which the API and single pushes wait for: with a bulk thread on each core, they would share these. */
const NICE = 5;

const port = parentPort;
if (port === null) throw new Error('thread.ts cannot be run directly: start-thread.ts starts it as a thread');
const data: ThreadData = workerData;
const { config, databaseUrl, threads } = data;

giveEachAddressTime();
// Linux gives each thread a priority of its own. Elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(NICE);
const say = (message: FromThread): void => port.postMessage(message);
const counter = openCounter();
const pushesAreLogged = logsPushes(config.logLevel);
/**
 * Sends only observations that are logged: a message wakes the first thread, which slows this one if no core is free.
 */
const log: Observe = (observation) => {
  // The first thread watches for database outages on behalf of both.
  if (isLogged(observation, config.logLevel) || outageOf(observation) !== undefined) {
    say({ kind: 'logged', observation });
  }
};
const logProgress = openProgressLog({ observe: log, clock: systemClock });
const logRetries = openRetryLog({ observe: log, clock: systemClock });
const observe: Observe = (observation) => {
  counter.observe(observation);
  if (isAtPushRate(observation) && !pushesAreLogged) return;
  log(observation);
  logProgress(observation);
  logRetries(observation);
};

const secret = await readSecretKey(config);
const { tracer, close: closeTracing } = await openTracer(config, observe);
const { databasePooler: pooler } = config;
const pool = openPool({
  connectionString: databaseUrl,
  connectionsMax: bulkConnectionsMax(threads),
  observe,
  pooler,
});
const db = databaseOn(pool, { pooler });
const { clock, close: closeClock } = await openDatabaseClock(db);
const unsaved = new UnsavedOutcomes(data.unsaved);
const gateways = openConfiguredGateways(config, { db, secret, clock, observe }, unsaved);
const tokenKeys = openTokenKeys(db, secret);
const pulse = openPulse(db, () => gateways.troubles());
const presence = openPresence({ ask: async () => pulse.beat(), clock });
const deliver = sliceDeliverer({
  db,
  gateways,
  tokenKeys,
  unsaved,
  clock,
  mayTakeOver: () => presence.hasLasted(LEASE_MS),
  observe,
  tracer,
  random: Math.random,
  shared: data.shared,
});
const running = new Map<number, AbortController>();

async function run(message: Extract<ToThread, { kind: 'deliver' }>): Promise<void> {
  const stop = new AbortController();
  const giveWay = (): void => say({ kind: 'gave_way', run: message.run });
  running.set(message.run, stop);
  const result = await runJob(message.job, deliver, { signal: stop.signal, giveWay }, observe);
  running.delete(message.run);
  say({ kind: 'ran', run: message.run, result });
}

/** The depth of the queue and the lag are sampled in the first thread. */
async function readCounts(): Promise<void> {
  const counts = await counter.read({
    queueJobs: undefined,
    lagMs: undefined,
    waves: undefined,
    pool: poolUseOf(pool),
  });
  say({ kind: 'counts', counts });
}

/** Closes everything that keeps the thread alive. */
async function close(): Promise<void> {
  await gateways.close();
  presence.close();
  await pulse.stop();
  await closeClock();
  await db.destroy();
  await closeTracing();
  port?.close();
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'deliver':
      return void run(message);
    case 'stop':
      return running.get(message.run)?.abort();
    case 'read_counts':
      return void readCounts();
    case 'close':
      return void close();
  }
});
say({ kind: 'ready' });
