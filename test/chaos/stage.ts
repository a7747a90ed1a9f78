/** What a cell of the matrix runs on: an API process and two workers on a Postgres, a Redis and gateways that may each fail. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { closedPort } from '../support/ports.ts';
import {
  type Carillon,
  type Environment,
  type Exit,
  listeningUrl,
  type RunningProcess,
  useCarillon,
} from '../support/processes.ts';
import type { OwnRedis } from '../support/redis.ts';
import {
  type Backend,
  createSimulatedApp,
  gatewaySettings,
  openBackend,
  type SimulatedApp,
} from '../support/simulated-app.ts';
import type { Fault, Stand } from './fault.ts';

export type Role = 'api' | 'worker';

export interface Servers {
  readonly postgres: OwnPostgres;
  readonly redis: OwnRedis;
}

export interface Stage extends Servers {
  readonly simulator: Simulator;
  readonly app: SimulatedApp;
  /** Calls the API process, which has the same address after each start. */
  readonly backend: Backend;
  readonly url: string;
  /** Those that run, the oldest first. One that ends by itself is started again, as by a supervisor. */
  running(role: Role): readonly RunningProcess[];
  /** Starts one more; resolves when it takes calls or jobs. */
  start(role: Role): Promise<void>;
  /** Kills as `kill -9` those that run, or the oldest of them. */
  kill(role: Role, count?: number): Promise<void>;
  /** Asks them to stop, as an orchestrator does. @throws if one does not exit with 0 */
  stop(role: Role, count?: number): Promise<void>;
}

/** So far away are the gateways: there is a middle in which something can fail. */
export const GATEWAY_DELAY_MS = 100;

type Processes = ReturnType<typeof openProcesses>;

const WANTED: Readonly<Record<Role, number>> = { api: 1, worker: 2 };

/**
 * The processes go on from one cell to the next, as servers do after a fault. Where a fault has a stand or other settings, and after
 * a red cell, they are killed, and others are started.
 */
export function useStage(postgres: OwnPostgres, redis: OwnRedis): { open(fault: Fault): Promise<Stage> } {
  const carillon = useCarillon();
  const secretKey = randomBytes(32).toString('hex');
  let simulator: Simulator;
  let processes: Processes | undefined;
  let stand: Stand | undefined;

  beforeAll(async () => {
    simulator = await startSimulator({
      certificateDir: await carillon.makeDir(),
      keep: 50_000,
      limitTokenUpdates: true,
    });
  });
  const replaceProcesses = async (): Promise<void> => {
    await processes?.end();
    processes = undefined;
    await redis.clear();
  };
  afterEach(async ({ task }) => {
    if (stand !== undefined || task.result?.state === 'fail') await replaceProcesses();
    await stand?.close();
    stand = undefined;
    simulator.reset();
  });
  afterAll(async () => simulator.close());

  return {
    open: async (fault) => {
      // They must not see a stand being built: its database stops, and gets work that nobody may do.
      if (fault.prepare !== undefined) await replaceProcesses();
      stand = await fault.prepare?.({ postgres, redis });
      const settings = { ...fault.settings, ...stand?.settings };
      if (!isDeepStrictEqual(processes?.settings, settings)) await replaceProcesses();
      processes ??= openProcesses(carillon, settings, {
        ...gatewaySettings(simulator),
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        SECRET_KEY: secretKey,
        PORT: String(await closedPort()),
        BULK_THREADS: '2',
      });
      await processes.complete();
      const app = await createSimulatedApp(postgres.db, parseSecretKey(secretKey), simulator);
      simulator.orderFault({ kind: 'delay', delayMs: GATEWAY_DELAY_MS });
      const { url, running, start, kill, stop } = processes;
      const backend = openBackend(url, app.key);
      return { postgres, redis, simulator, app, backend, url, running, start, kill, stop };
    },
  };
}

/** @param settings what the fault needs in their environment */
function openProcesses(carillon: Carillon, settings: Environment, others: Environment) {
  const environment: Environment = { ...others, ...settings };
  const supervised = new Set<RunningProcess>();
  const running: Record<Role, RunningProcess[]> = { api: [], worker: [] };
  const isUp = async (role: Role, started: RunningProcess): Promise<unknown> =>
    role === 'api' ? listeningUrl(started) : started.line(/"kind":"worker_started"/);

  const start = async (role: Role): Promise<void> => {
    const started = carillon.start(['start'], { ...environment, ROLE: role });
    running[role].push(started);
    supervised.add(started);
    void supervise(role, started);
    await isUp(role, started);
  };
  const supervise = async (role: Role, started: RunningProcess): Promise<void> => {
    await started.exited;
    if (!supervised.delete(started)) return;
    running[role].splice(running[role].indexOf(started), 1);
    await start(role).catch(() => undefined); // it was killed as well
  };
  const end = async (signal: NodeJS.Signals, role: Role, count: number): Promise<Exit[]> => {
    const ended = running[role].splice(0, count);
    for (const one of ended) {
      supervised.delete(one);
      one.signal(signal);
    }
    return Promise.all(ended.map(async ({ exited }) => exited));
  };

  return {
    settings,
    url: `http://127.0.0.1:${environment['PORT']}`,
    running: (role: Role) => running[role],
    start,
    kill: async (role: Role, count = Infinity) => void (await end('SIGKILL', role, count)),
    stop: async (role: Role, count = Infinity) => {
      for (const exit of await end('SIGTERM', role, count))
        expect(exit).toMatchObject({ code: 0, signal: null });
    },
    /** Starts what is missing; resolves when an API process and two workers are up. @throws if one ends before */
    complete: async () => {
      const missing = (['api', 'worker'] as const).flatMap((role) =>
        Array.from({ length: WANTED[role] - running[role].length }, () => role),
      );
      await Promise.all([
        ...running.api.map(async (one) => isUp('api', one)),
        ...running.worker.map(async (one) => isUp('worker', one)),
        ...missing.map(start),
      ]);
    },
    /** Kills them all. */
    end: async () => {
      supervised.clear();
      await carillon.killAll();
    },
  };
}
