/** What a cell of the matrix runs on: an API process and two workers on a Postgres, a Redis and gateways that may each fail. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Simulator, startSimulator } from '@carillon/simulator';
import { parseSecretKey } from '../../src/process/secret-key.ts';
import { slotClock } from '../processes/slot-clock.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { closedPort } from '../support/ports.ts';
import { type Exit, listeningUrl, type RunningProcess, useCarillon } from '../support/processes.ts';
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

/** Each `open` starts the processes of one cell; they are killed after it. */
export function useStage(postgres: OwnPostgres, redis: OwnRedis): { open(fault: Fault): Promise<Stage> } {
  const carillon = useCarillon();
  const secretKey = randomBytes(32).toString('hex');
  let simulator: Simulator;
  const supervised = new Set<RunningProcess>();
  let stand: Stand | undefined;

  beforeAll(async () => {
    simulator = await startSimulator({
      certificateDir: await carillon.makeDir(),
      keep: 50_000,
      limitTokenUpdates: true,
      clock: slotClock(),
    });
  });
  afterEach(async () => {
    supervised.clear();
    await carillon.killAll();
    await stand?.close();
    stand = undefined;
    simulator.reset();
    await redis.clear();
  });
  afterAll(async () => simulator.close());

  return {
    open: async (fault) => {
      stand = await fault.prepare?.({ postgres, redis });
      const port = await closedPort();
      const environment = {
        ...gatewaySettings(simulator),
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        SECRET_KEY: secretKey,
        PORT: String(port),
        BULK_THREADS: '2',
        ...fault.settings,
        ...stand?.settings,
      };
      const processes: Record<Role, RunningProcess[]> = { api: [], worker: [] };
      const url = `http://127.0.0.1:${port}`;

      const start: Stage['start'] = async (role) => {
        const started = carillon.start(['start'], { ...environment, ROLE: role });
        processes[role].push(started);
        supervised.add(started);
        void supervise(role, started);
        await (role === 'api' ? listeningUrl(started) : started.line(/"kind":"worker_started"/));
      };
      const supervise = async (role: Role, started: RunningProcess): Promise<void> => {
        await started.exited;
        if (!supervised.delete(started)) return;
        processes[role].splice(processes[role].indexOf(started), 1);
        await start(role);
      };
      const end = async (signal: NodeJS.Signals, role: Role, count: number): Promise<Exit[]> => {
        const ended = processes[role].splice(0, count);
        for (const one of ended) {
          supervised.delete(one);
          one.signal(signal);
        }
        return Promise.all(ended.map(async ({ exited }) => exited));
      };

      await Promise.all([start('api'), start('worker'), start('worker')]);
      const app = await createSimulatedApp(postgres.db, parseSecretKey(secretKey), simulator);
      simulator.orderFault({ kind: 'delay', delayMs: GATEWAY_DELAY_MS });
      const backend = openBackend(url, app.key);
      return {
        postgres,
        redis,
        simulator,
        app,
        backend,
        url,
        start,
        kill: async (role, count = Infinity) => void (await end('SIGKILL', role, count)),
        stop: async (role, count = Infinity) => {
          for (const exit of await end('SIGTERM', role, count))
            expect(exit).toMatchObject({ code: 0, signal: null });
        },
        running: (role) => processes[role],
      };
    },
  };
}
