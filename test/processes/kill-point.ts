/** Kills a process with `kill -9` at a chosen push of a bulk notification, and starts another. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { readNotification } from '../../src/notifications/look-up/read.ts';
import type { Simulator } from '@carillon/simulator';
import type { RunningProcess } from '../support/processes.ts';
import type { Backend, StoredDevice } from '../support/simulated-app.ts';
import type { Alone } from './alone.ts';
import { type Cluster, workerStarted } from './cluster.ts';
import { allAccepted, expectTheSamePushes, IN_FLIGHT_MAX, missedOf, reach, repeatsOf } from './fan-out.ts';

/** Eight slices: more than a worker delivers at once. */
const DEVICES = 8_000;
/** Includes the time until the leases of the killed process expire, unless they are ended. */
const ENDS_WITHIN_MS = 90_000;
/**
 * The pushes, of one to each of `devices`, at which to kill. A run that fails names its seed; `KILL_SEED` repeats its
 * points.
 */
export function killPoints(count: number, devices = DEVICES): { seed: number; points: number[] } {
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 2 ** 31);
  const push = fc.noBias(fc.integer({ min: 1, max: Math.floor(0.95 * devices) }));
  return { seed, points: fc.sample(push, { seed, numRuns: count }) };
}

/**
 * Kills the only worker, and starts another.
 * @param threads its bulk threads
 * @param endsLeases the other need not wait until what the killed one held is free
 */
export async function killWorker(
  cluster: Cluster,
  { push, seed, endsLeases, threads }: { push: number; seed: number; endsLeases: boolean; threads: number },
): Promise<void> {
  const { app, backend, devices } = await cluster.makeApp(DEVICES);
  const first = cluster.startWorker();
  await killAndCompare({
    push,
    seed,
    threads,
    simulator: cluster.simulator,
    devices,
    first,
    backend,
    recorded: async (id) => recordedOf(await backend.readNotification(id)),
    restart: async () => {
      if (endsLeases) await endLeases(cluster, app.id);
      await workerStarted(cluster.startWorker());
      return backend;
    },
  });
}

/**
 * Sets the leases of killed workers as if their ten seconds were over, and forgets the jobs that they hold for as long: the sweep
 * finds what is left to do. It ends those of living workers too, which look the same, but none with a note: a note whose lease has ended
 * says that its step has killed a process.
 */
export async function endLeases({ db, redis }: Pick<Cluster, 'db' | 'redis'>, appId: string): Promise<void> {
  await redis.clear();
  await db
    .updateTable('delivery_slices')
    .set({ lease_until: systemClock() })
    .where('app_id', '=', appId)
    .where('state', '=', 'leased')
    .where('trying', 'is', null)
    .execute();
}

/** Kills a process at a moment at which it has noted no step: the note would blame that step for the death. */
export async function killBetweenNotes(db: Cluster['db'], killed: RunningProcess): Promise<void> {
  for (;;) {
    killed.signal('SIGSTOP');
    const noted = await db
      .selectFrom('delivery_slices')
      .select('number')
      .where('trying', 'is not', null)
      .executeTakeFirst();
    if (noted === undefined) break;
    killed.signal('SIGCONT');
  }
  killed.signal('SIGKILL');
  await killed.exited;
}

/** Kills a server that is API and worker in one, and starts it again. */
export async function killServer(alone: Alone, push: number, seed: number): Promise<void> {
  const { app, devices } = await alone.makeApp(DEVICES);
  const first = alone.start();
  await killAndCompare({
    push,
    seed,
    threads: 2,
    simulator: alone.simulator,
    devices,
    first,
    backend: await alone.backend(first, app),
    recorded: async (id) =>
      alone.onDatabase(async ({ db }) => recordedOf(await readNotification(db, app.id, id, systemClock))),
    restart: async () => alone.backend(alone.start(), app),
  });
}

interface Kill {
  push: number;
  seed: number;
  threads: number;
  simulator: Simulator;
  devices: readonly StoredDevice[];
  first: RunningProcess;
  backend: Backend;
  /** Number of saved outcomes of the notification. */
  recorded(id: string): Promise<number>;
  restart(): Promise<Backend>;
}

async function killAndCompare({
  push,
  seed,
  threads,
  simulator,
  devices,
  first,
  ...kill
}: Kill): Promise<void> {
  const { id } = await kill.backend.notify('*');
  await reach(simulator, id, push);
  first.signal('SIGKILL');
  await first.exited;
  const recorded = await kill.recorded(id);
  const backend = await kill.restart();
  // By now the simulator has read the last request of the killed process.
  const begun = simulator.pushesByToken(id).size;

  const record = await backend.untilEnded(id, ENDS_WITHIN_MS);
  const repeats = repeatsOf(simulator, id);
  const story = `killed at push ${push} (KILL_SEED=${seed}), ${begun} begun, ${recorded} on record: ${repeats} repeats`;
  process.stdout.write(`  ${story}\n`);
  expect(record, story).toMatchObject(allAccepted(DEVICES));
  expect(missedOf(simulator, id, devices), story).toEqual([]);
  expectTheSamePushes(simulator, id);
  expect(repeats, `${story}: more than was not on record`).toBeLessThanOrEqual(begun - recorded);
  expect(repeats, story).toBeLessThanOrEqual(threads * IN_FLIGHT_MAX);
}

function recordedOf({ devices, pending }: { devices: number; pending: number }): number {
  return devices - pending;
}
