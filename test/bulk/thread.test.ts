/** The bulk thread, as a server of its own process starts it, with a real Apple's and Google's likeness. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { type BulkThread, startBulkThread } from '../../src/bulk/start-thread.ts';
import { systemClock } from '../../src/clock.ts';
import { type Config, readConfig } from '../../src/process/config.ts';
import type { ThreadData } from '../../src/bulk/messages.ts';
import { makeSharedByThreads } from '../../src/delivery/shared-by-threads.ts';
import { planNotification } from '../../src/delivery/start/plan.ts';
import { startServer } from '../../src/main.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { createNotification } from '../../src/notifications/create.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import { observeNothing } from '../../src/observe.ts';
import { type DeliverJob, deliverJobs } from '../../src/queue/job.ts';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { unsavedCounters } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { collectObservations, useTestDatabase } from '../support/database.ts';
import {
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';

const DEVICES = 1_500;
const SLICES = 2;
const SECRET_KEY = 'ab'.repeat(32);
const NO_READINGS = {
  queueJobs: undefined,
  lagMs: undefined,
  waves: undefined,
  pool: { open: 0, idle: 0, waiting: 0 },
};
const never = new AbortController().signal;
const keepPlace = (): void => undefined;

const database = useTestDatabase();
let directory: string;
let simulator: Simulator;
/** Of all tests with the same settings: to start a thread takes longer than most of them. */
let thread: BulkThread;
const { observe: observeThread, seen: seenOfThread } = collectObservations();
let app: SimulatedApp;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'carillon-bulk-'));
  simulator = await startSimulator({ certificateDir: directory });
  thread = await startBulkThread(threadData(), observeThread);
});

beforeEach(async () => {
  simulator.reset();
  seenOfThread.length = 0;
  // What an earlier test has left unfinished, a server would go on with.
  await database.db.updateTable('notifications').set({ state: 'canceled' }).execute();
  app = await createSimulatedApp(database.db, parseSecretKey(SECRET_KEY), simulator);
  await insertDevices(database.db, app.id, DEVICES);
});

afterAll(async () => {
  await thread.close();
  await simulator.close();
  await rm(directory, { recursive: true, force: true });
});

function config(changes: Partial<Config> = {}, gateways = simulator): Config {
  const settings = { DATABASE_URL: database.url, SECRET_KEY, PORT: '0', ...gatewaySettings(gateways) };
  return { ...readConfig(settings, false), ...changes };
}

function threadData(changes: Partial<Config> = {}): ThreadData {
  return {
    config: config(changes),
    databaseUrl: database.url,
    unsaved: unsavedCounters(),
    shared: makeSharedByThreads(),
    threads: 1,
  };
}

/** Runs a job in turns until nothing is left of it. */
async function deliverAll(job: DeliverJob, bulk = thread): Promise<void> {
  while ((await bulk.deliver(job, never, keepPlace)) === 'again');
}

const read = async ({ notificationId }: DeliverJob) =>
  readNotification(database.db, app.id, notificationId, systemClock);

/** @returns a job of a bulk notification that is planned and that no worker has started */
async function planned(): Promise<DeliverJob> {
  const { db } = database;
  const body = { notification: { to: '*', payload: { alert: 'Hello' } } };
  const request = { appId: app.id, body, requestId: 'request-1' };
  const queue = { add: async () => undefined };
  const { id } = await createNotification(db, request, {
    clock: systemClock,
    queue,
    observe: observeNothing,
  });
  const key = { appId: app.id, notificationId: id };
  const plan = await planNotification({ db, clock: systemClock, observe: observeNothing }, key);
  expect(plan).toMatchObject({ lane: 'bulk', slices: SLICES });
  const [job] = deliverJobs({ ...key, requestId: 'request-1' }, 1);
  if (job === undefined) throw new Error('a slice has a job');
  return job;
}

test('the bulk thread delivers slices for a turn, and returns `done` when none is left', async () => {
  const job = await planned();
  const slicesEnded = async (): Promise<number> => {
    const text = await openMetrics().write(NO_READINGS, [await thread.readCounts()]);
    return Number(/^carillon_slice_duration_seconds_count (\d+)$/m.exec(text)?.[1]);
  };
  const before = await slicesEnded();
  await deliverAll(job);
  expect(await thread.deliver(job, never, keepPlace)).toBe('done');
  expect(await read(job)).toMatchObject({ state: 'sent', accepted: DEVICES });
  expect((await slicesEnded()) - before).toBe(SLICES);
  const { origin } = new URL(simulator.urls.fcm);
  expect(seenOfThread).toContainEqual({ kind: 'session_opened', gateway: 'fcm', origin });
});

test('the log has the progress of a bulk notification and its end once, and no slice', async () => {
  await deliverAll(await planned());
  const progress = seenOfThread.filter(({ kind }) => kind === 'delivery_progress');
  expect(progress.filter((reported) => 'state' in reported && reported.state === 'sent')).toHaveLength(1);
  expect(seenOfThread.filter(({ kind }) => kind.startsWith('slice_'))).toEqual([]);
});

test('the log has the outcome of every push only where it asks for it, and all are counted', async () => {
  simulator.orderFault({ kind: 'answer', status: 400, reason: 'BadTopic', gateway: 'apns', times: 7 });
  const job = await planned();
  const { observe, seen } = collectObservations();
  const bulk = await startBulkThread(threadData({ logLevel: 'debug' }), observe);
  try {
    await deliverAll(job, bulk);
    const settled = seen.filter(({ kind }) => kind === 'push_finished');
    expect(settled.map((reported) => 'outcome' in reported && reported.outcome)).toEqual(
      Array(7).fill('rejected'),
    );
    expect(seen.filter(({ kind }) => kind.startsWith('push_request_'))).toEqual([]);
    const text = await openMetrics().write(NO_READINGS, [await bulk.readCounts()]);
    expect(text).toContain('carillon_pushes_total{gateway="apns",outcome="accepted"} 743\n');
    expect(text).toContain('carillon_pushes_total{gateway="apns",outcome="rejected",reason="BadTopic"} 7\n');
    expect(text).toContain('carillon_gateway_answer_seconds_count{gateway="fcm"} 750\n');
    expect(text).toMatch(/^carillon_database_connections{state="idle"} [1-9]/m);
    expect(text).not.toMatch(/^carillon_delivery_lag_seconds /m);
  } finally {
    await bulk.close();
  }
});

test('a job that is to stop hands its slice on', async () => {
  simulator.orderFault({ kind: 'delay', delayMs: 200 });
  const job = await planned();
  const stop = new AbortController();
  const delivered = thread.deliver(job, stop.signal, keepPlace);
  await vi.waitFor(() => expect(simulator.counts().apns.requests).toBeGreaterThan(0), 30_000);
  stop.abort();
  await delivered;
  const { accepted, pending } = await read(job);
  expect(accepted).toBeLessThan(100);
  expect(accepted + pending).toBe(DEVICES);
});

test('a job gives way where it only waits for answers', async () => {
  simulator.orderFault({ kind: 'delay', delayMs: 300 });
  const order: string[] = [];
  await thread.deliver(await planned(), never, () => order.push('gave way')).then(() => order.push('over'));
  expect(order).toEqual(['gave way', 'over']);
});

test('a job that fails is logged and ends, and the thread goes on', async () => {
  const job = await planned();
  expect(await thread.deliver({ ...job, appId: 'no id' }, never, keepPlace)).toBe('done');
  expect(seenOfThread).toContainEqual(
    expect.objectContaining({ kind: 'job_failed', notificationId: job.notificationId }),
  );
  await thread.deliver(job, never, keepPlace);
  expect((await read(job)).accepted).toBeGreaterThan(0);
});

/** @returns the nice value of a thread of this process */
async function nice(task: string): Promise<number> {
  const stat = await readFile(`/proc/self/task/${task}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

test.skipIf(process.platform !== 'linux')(
  'the bulk thread has a lower priority than the first thread, which keeps its own (only Linux has priorities of threads)',
  async () => {
    const tasks = await readdir('/proc/self/task');
    const names = await Promise.all(
      tasks.map(async (task) => (await readFile(`/proc/self/task/${task}/comm`, 'utf8')).trim()),
    );
    const bulk = tasks.filter((_, index) => names[index] === 'bulk');
    expect(bulk).toHaveLength(1);
    expect(await nice(bulk.join())).toBe((await nice(String(process.pid))) + 5);
  },
);

test('a failure that keeps the thread from starting keeps the server from starting', async () => {
  const data = threadData({ secretKey: 'none' });
  await expect(startBulkThread(data, observeNothing)).rejects.toThrow('SECRET_KEY must be 32 bytes');
});

test('a push to one device does not wait for a gateway that leaves a bulk notification without answers', async () => {
  const silent = await startSimulator({ certificateDir: path.join(directory, 'silent') });
  const { id, key } = await createSimulatedApp(database.db, parseSecretKey(SECRET_KEY), silent);
  const devices = await insertDevices(database.db, id, DEVICES);
  const iPhone = devices.find(({ platform, development }) => platform === 'iOS' && !development);
  const server = await startServer(config({}, silent), observeNothing);
  try {
    const backend = openBackend(server.url ?? '', key);
    silent.orderFault({ kind: 'stall', what: 'connection', gateway: 'apns', times: 1 });
    const toAll = await backend.notify('*');
    await vi.waitFor(() => expect(silent.counts().fcm.accepted).toBeGreaterThan(0), 30_000);
    const single = await backend.notify([{ name: 'device_id', criteria: [iPhone?.id] }]);
    expect(await backend.untilEnded(single.id, 30_000)).toMatchObject({ state: 'sent', accepted: 1 });
    expect((await backend.readNotification(toAll.id)).state).toBe('sending');
  } finally {
    // First: nobody waits then for the answers that do not come.
    await silent.close();
    await server.close();
  }
});
