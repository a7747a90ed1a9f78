/** One API process and workers on one Postgres, one Redis and one simulator: what many machines run. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { parseSecretKey } from '../../src/apps/secret-key.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import type { Simulator } from '../../src/simulator/surface.ts';
import { useTestDatabase } from '../support/database.ts';
import { listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
import type { TestRedis } from '../support/redis.ts';
import {
  type Backend,
  createSimulatedApp,
  gatewaySettings,
  insertDevices,
  openBackend,
  type StoredDevice,
} from '../support/simulated-app.ts';

export interface Cluster {
  readonly db: ReturnType<typeof useTestDatabase>['db'];
  readonly simulator: Simulator;
  startWorker(): RunningProcess;
  /** An app with that many devices, and a back end that calls the API process. */
  makeApp(devices: number): Promise<{ backend: Backend; devices: StoredDevice[] }>;
}

/** Open while the tests of a `describe` run; workers are killed after each test. */
export function useCluster(redis: TestRedis): Cluster {
  const database = useTestDatabase();
  const carillon = useCarillon();
  const workers = useCarillon();
  const secretKey = randomBytes(32).toString('hex');
  let opened: { simulator: Simulator; url: string; environment: Record<string, string> } | undefined;
  const cluster = (): NonNullable<typeof opened> => {
    if (opened === undefined) throw new Error('the cluster is open only while tests run');
    return opened;
  };

  beforeAll(async () => {
    const simulator = await startSimulator({ certificateDir: await carillon.makeDir(), keep: 50_000 });
    const environment = {
      ...gatewaySettings(simulator),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'debug',
    };
    const api = carillon.start(['start'], { ...environment, ROLE: 'api', PORT: '0' });
    opened = { simulator, environment, url: await listeningUrl(api) };
  });
  afterEach(async () => {
    await workers.killAll();
    opened?.simulator.reset();
  });
  afterAll(async () => {
    await opened?.simulator.close();
  });

  return {
    get db() {
      return database.db;
    },
    get simulator() {
      return cluster().simulator;
    },
    startWorker: () => workers.start(['start'], { ...cluster().environment, ROLE: 'worker' }),
    makeApp: async (count) => {
      const { simulator, url } = cluster();
      const app = await createSimulatedApp(database.db, parseSecretKey(secretKey), simulator);
      return {
        backend: openBackend(url, app.key),
        devices: await insertDevices(database.db, app.id, count),
      };
    },
  };
}

/** How many devices a process (at LOG_LEVEL=debug) says that it has sent to. */
export function devicesSentBy(worker: RunningProcess): number {
  return worker
    .lines()
    .map((line) => /"kind":"slice_finished".*"devices":(\d+)/.exec(line))
    .reduce((sum, match) => sum + Number(match?.[1] ?? 0), 0);
}
