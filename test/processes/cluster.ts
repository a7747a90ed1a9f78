/** One API process and workers on one Postgres, one Redis and one simulator: the setup of many machines. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { startSimulator } from '@carillon/simulator';
import { runCommand } from '../support/command.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { type Environment, listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSimulatedApp, gatewaySettings, insertDevices, openBackend } from '../support/simulated-app.ts';
import { slotClock } from './slot-clock.ts';

export interface ClusterOptions {
  /** Must stay open as long as the cluster; by default a clone in the Postgres of the test run. */
  database?: Pick<TestDatabase, 'db' | 'url'>;
  /** The simulator records real times of pushes; its limit on new provider tokens is off then. */
  realTimes?: boolean;
  /** More settings, for every process. */
  settings?: Environment;
  /** That many workers run as long as the cluster, for tests that leave them as they found them; none by default. */
  workers?: number;
}

export type Cluster = ReturnType<typeof useCluster>;
export type ClusterApp = Awaited<ReturnType<Cluster['makeApp']>>;

/** Open while the tests of a `describe` run; what a test has started is killed after it. */
export function useCluster(redis: TestRedis, options: ClusterOptions = {}) {
  const database = options.database ?? useTestDatabase();
  const carillon = useCarillon();
  const ofTest = useCarillon();
  const secretKey = randomBytes(32).toString('hex');
  const open = async () => {
    const simulator = await startSimulator({
      certificateDir: await carillon.makeDir(),
      keep: 50_000,
      // Processes that start and end must not each make a new provider token.
      ...(options.realTimes !== true && { limitTokenUpdates: true, clock: slotClock() }),
    });
    const environment = {
      ...gatewaySettings(simulator),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'debug',
      ...options.settings,
    };
    const api = carillon.start(['start'], { ...environment, ROLE: 'api', PORT: '0' });
    const workers: readonly RunningProcess[] = Array.from({ length: options.workers ?? 0 }, () =>
      carillon.start(['start'], { ...environment, ROLE: 'worker' }),
    );
    const url = await listeningUrl(api);
    await Promise.all(workers.map(workerStarted));
    return { simulator, api, workers, environment, url };
  };
  let opened: Awaited<ReturnType<typeof open>> | undefined;
  const cluster = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the cluster is open only while tests run');
    return opened;
  };

  beforeAll(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await ofTest.killAll();
    opened?.simulator.reset();
  });
  afterAll(async () => {
    await opened?.simulator.close();
  });

  /** May not have started yet. */
  const startWorker = (settings?: Environment): RunningProcess =>
    ofTest.start(['start'], { ...cluster().environment, ROLE: 'worker', ...settings });

  return {
    get db() {
      return database.db;
    },
    redis,
    get simulator() {
      return cluster().simulator;
    },
    /** The address of the first API process. */
    get url() {
      return cluster().url;
    },
    /** The first API process. */
    get api() {
      return cluster().api;
    },
    /** Those that run as long as the cluster. */
    get workers() {
      return cluster().workers;
    },
    /** Starts one more API process, killed after the test. */
    startApi: async () => {
      const api = ofTest.start(['start'], { ...cluster().environment, ROLE: 'api', PORT: '0' });
      return { api, url: await listeningUrl(api) };
    },
    startWorker,
    /** Starts that many workers side by side; resolves when all take jobs. */
    startWorkers: async (count: number, settings?: Environment) =>
      Promise.all(Array.from({ length: count }, async () => workerStarted(startWorker(settings)))),
    /** Runs a command of the command line on the database of the servers. */
    run: async (words: readonly string[]) => runCommand(words, cluster().environment),
    /** A new directory, removed after the tests. */
    makeDir: async () => carillon.makeDir(),
    /** An app with that many devices, and a back end that calls the API process. */
    makeApp: async (count: number) => {
      const { simulator, url } = cluster();
      const app = await createSimulatedApp(database.db, parseSecretKey(secretKey), simulator);
      const backend = openBackend(url, app.key);
      return { app, backend, devices: await insertDevices(database.db, app.id, count) };
    },
  };
}

/** @returns the worker, once it takes jobs */
export async function workerStarted(worker: RunningProcess): Promise<RunningProcess> {
  await worker.line(/"kind":"worker_started"/);
  return worker;
}

/** @returns how many devices each worker has logged as sent so far */
export function sentSoFar(workers: readonly RunningProcess[]): number[] {
  return workers.map(devicesSentBy);
}

/** Number of devices that each worker has logged as sent since `before`, once the sum is complete. */
export async function sharesOf(
  workers: readonly RunningProcess[],
  total: number,
  before: readonly number[] = [],
): Promise<number[]> {
  return vi.waitFor(
    () => {
      const shares = sentSoFar(workers).map((sent, index) => sent - (before[index] ?? 0));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
      return shares;
    },
    { timeout: 30_000 },
  );
}

function devicesSentBy(worker: RunningProcess): number {
  return worker
    .lines()
    .map((line) => /"kind":"slice_finished".*"devices":(\d+)/.exec(line))
    .reduce((sum, match) => sum + Number(match?.[1] ?? 0), 0);
}
