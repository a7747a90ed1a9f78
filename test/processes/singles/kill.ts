/** Kills a process with `kill -9` in the middle of many single pushes, and compares what is on record with the gateway. */
import { expect } from 'vitest';
import type { RunningProcess } from '../../support/processes.ts';
import type { Backend, StoredDevice } from '../../support/simulated-app.ts';
import type { Simulator } from '@carillon/simulator';
import type { Alone } from '../alone.ts';
import { type Cluster, workerStarted } from '../cluster.ts';
import { IN_FLIGHT_MAX } from '../fan-out.ts';
import { countEnded, expectOneOutcomeEach, pushedTo, sendSingles, untilPushed } from './singles.ts';

export interface KillPlan {
  devices: number;
  /** The push at which to kill. */
  push: number;
  seed: number;
}

/** Kills a server that is API and worker in one, and starts it again. Callers repeat what it has not answered. */
export async function killServerAmongSingles(alone: Alone, plan: KillPlan): Promise<void> {
  const { app, devices } = await alone.makeApp(plan.devices);
  const first = alone.start();
  let serving = alone.backend(first, app);
  await killAmongSingles(plan, {
    simulator: alone.simulator,
    devices,
    killed: first,
    backend: async () => serving,
    recorded: async () =>
      alone.onDatabase(async ({ db }) => {
        const { ended } = await db
          .selectFrom('notifications')
          .select((build) => build.fn.countAll<number>().as('ended'))
          .where('app_id', '=', app.id)
          .where('state', '=', 'sent')
          .executeTakeFirstOrThrow();
        return ended;
      }),
    continueWith: async () => {
      const next = alone.start();
      serving = alone.backend(next, app);
      await serving;
      return next;
    },
  });
}

/** Kills the only worker, and starts another. */
export async function killWorkerAmongSingles(cluster: Cluster, plan: KillPlan): Promise<void> {
  const { backend, devices } = await cluster.makeApp(plan.devices);
  const first = await workerStarted(cluster.startWorker());
  await killAmongSingles(plan, {
    simulator: cluster.simulator,
    devices,
    killed: first,
    backend: async () => backend,
    recorded: async () => countEnded(backend),
    continueWith: async () => {
      return workerStarted(cluster.startWorker());
    },
  });
}

interface Kill {
  simulator: Simulator;
  devices: readonly StoredDevice[];
  killed: RunningProcess;
  backend: () => Promise<Backend>;
  /** Number of notifications that have ended, while no worker runs. */
  recorded(): Promise<number>;
  /** Starts the process that goes on. */
  continueWith(): Promise<RunningProcess>;
}

async function killAmongSingles({ push, seed }: KillPlan, kill: Kill): Promise<void> {
  const { simulator, devices, killed, backend } = kill;
  const singles = sendSingles(devices, backend);
  await untilPushed(simulator, push);
  killed.signal('SIGKILL');
  await killed.exited;
  const recorded = await kill.recorded();
  // By now the simulator has read the last request of the killed process.
  const begun = pushedTo(simulator);
  const next = await kill.continueWith();
  await singles.answered();

  const check = { backend: await backend(), simulator, devices, created: singles.created };
  const repeats = await expectOneOutcomeEach(check);
  const story = `killed at push ${push} (KILL_SEED=${seed}), ${begun} begun, ${recorded} on record: ${repeats} repeats`;
  process.stdout.write(`  ${story}\n`);
  expect(repeats, `${story}: more than was not on record`).toBeLessThanOrEqual(begun - recorded);
  expect(repeats, story).toBeLessThanOrEqual(IN_FLIGHT_MAX);
  next.signal('SIGTERM');
  expect(await next.exited, story).toMatchObject({ code: 0, signal: null });
}
