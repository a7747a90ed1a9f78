/**
 * Measures a bulk send to browsers: never seen before, then the same ones again, and a person who waits for one push meanwhile. The
 * baselines are the library `web-push` in one process, and a bare loop in one and in two.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type Bodies, type Calls, writeBodies } from '../calls/caller.ts';
import { untilAllEnded } from '../calls/deliveries.ts';
import { latenciesDuring, runSingles, whileCalling } from '../calls/single-pushes.ts';
import { watchCores } from '../machine/busy-cores.ts';
import { familyMs, postgresPid } from '../machine/processor-time.ts';
import {
  BROWSER_PAYLOAD,
  BROWSER_TEXT,
  type BrowserApp,
  type BrowserRun,
  createBrowserApp,
  FIRST_HALF,
  runBrowserBaseline,
  SECOND_HALF,
} from '../support/browsers.ts';
import { ALONE, type Carillon, sendBulk, startCarillon } from '../support/carillon.ts';
import { measureCeiling } from '../support/ceiling.ts';
import { notificationTo, type Sent } from '../support/client.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { percentile } from '../support/statistics.ts';

const SINGLES_PER_SECOND = 20;
/** The pulse of the process, and Postgres, after a bulk send. */
const REST_MS = 1_000;

const LIBRARY = 'web-push, one process';
const LOOPS = [
  { processes: 1, name: 'bare loop, one process' },
  { processes: 2, name: 'bare loop, two processes' },
];
const CARILLON = 'all in one';
const COLD = 'never seen';
const WARM = 'seen before';

interface Setting {
  app: BrowserApp;
  database: BenchDatabase;
  /** A call for each browser of the warm-up. */
  bodies: Bodies;
}

export async function webPush(context: BenchContext): Promise<void> {
  if (context.sink.name !== 'nginx') return context.figures.note('web-push needs nginx as the sink.');
  const database = keepOpen(context, await context.postgres.createDatabase());
  context.say(`inserting ${2 * context.devices} browsers`);
  const app = await createBrowserApp(context, database);
  const setting = { app, database, bodies: await writeCalls(context, database, app) };
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    await measureSink(context);
    await measureBaselines(context, app);
    await measureCarillon(context, setting);
  }
}

async function writeCalls(context: BenchContext, { read }: BenchDatabase, app: BrowserApp): Promise<Bodies> {
  const browsers = await read(
    z.object({ id: z.string() }),
    `select id from devices where app_id = $1 and 'warm-up' = any(tags)`,
    [app.id],
  );
  const calls = browsers.map(({ id }) => JSON.stringify(notificationTo({ device_id: id }, BROWSER_PAYLOAD)));
  return writeBodies(await makeDir(context), 'browsers', calls);
}

/** With bodies as long as those of the pushes, so that it shows whether the sink holds anybody up. */
async function measureSink(context: BenchContext): Promise<void> {
  const body = 'x'.repeat(BROWSER_TEXT.length + 103);
  const address = `/push/${'a'.repeat(86)}`;
  const perSecond = await measureCeiling(context.sink, await makeDir(context), { address, body });
  if (perSecond !== null) context.figures.add('the sink', perSecond, 'requests/s');
}

async function measureBaselines(context: BenchContext, app: BrowserApp): Promise<void> {
  const add = (name: string, run: BrowserRun | undefined, against: readonly string[] = []): void => {
    if (run === undefined) throw new Error(`${name} was not measured`);
    context.figures.add(name, run.pushesPerSecond, 'pushes/s', against);
    context.figures.add(`${name}: processor time`, run.microseconds, 'µs');
  };
  add(LIBRARY, (await runBrowserBaseline(context, app, 'library', 1))[0]);
  for (const { processes, name } of LOOPS) {
    const [cold, warm] = await runBrowserBaseline(context, app, 'loop', processes);
    add(`${name}, ${COLD}`, cold, [LIBRARY]);
    add(`${name}, ${WARM}`, warm, [LIBRARY]);
  }
}

async function measureCarillon(context: BenchContext, setting: Setting): Promise<void> {
  const { app, database, bodies } = setting;
  const carillon = await startCarillon(context, { database, deployment: ALONE });
  await carillon.warmUp(app);
  const { authorization } = carillon.backEnd(app);
  const calls = { url: `${carillon.url}/v6/notifications`, authorization, bodies };
  const perSecond = SINGLES_PER_SECOND;
  const servers = { ...setting, carillon };
  const { seconds } = context;
  await runSingles(context, servers, { ...calls, seconds, callsMax: 2_000 });
  const alone = await runSingles(context, servers, { ...calls, perSecond, seconds });
  for (const state of [COLD, WARM]) await measureBulkSend(context, setting, { carillon, state });
  const latencies = { [COLD]: [0], [WARM]: [0] };
  for (const state of [COLD, WARM] as const) {
    latencies[state] = await waitDuring(context, setting, { carillon, calls: { ...calls, perSecond } });
  }
  for (const percent of [50, 99]) {
    const quiet = `${CARILLON}: one push, p${percent} alone`;
    context.figures.add(quiet, percentile(alone.latenciesMs, percent), 'ms');
    for (const state of [COLD, WARM] as const) {
      const name = `${CARILLON}: one push, p${percent} during a bulk send, ${state}`;
      const value = percentile(latencies[state], percent);
      context.figures.add(name, value, 'ms', [quiet]);
    }
  }
  await carillon.stop();
}

async function measureBulkSend(
  context: BenchContext,
  { app, database }: Setting,
  { carillon, state }: { carillon: Carillon; state: string },
): Promise<void> {
  const { figures, devices } = context;
  await wait(REST_MS);
  const pids = {
    Carillon: carillon.senderPids[0],
    Postgres: await postgresPid(database),
    nginx: context.sink.pid,
  };
  const usedMs = async (): Promise<[string, number][]> =>
    Promise.all(
      Object.entries(pids).map(async ([name, pid = 0]): Promise<[string, number]> => [
        name,
        await familyMs(pid),
      ]),
    );
  const before = await usedMs();
  const busyCores = watchCores();
  const to = { to: FIRST_HALF, devices, payload: BROWSER_PAYLOAD };
  const { pushesPerSecond } = await sendBulk(context, carillon.backEnd(app), to);
  const cores = busyCores();
  const after = await usedMs();
  const name = `${CARILLON}, ${state}`;
  const against = [LIBRARY, ...LOOPS.map((loop) => `${loop.name}, ${state}`)];
  figures.add(name, pushesPerSecond, 'pushes/s', against);
  for (const [index, [process, ms]] of after.entries()) {
    const value = ((ms - (before[index]?.[1] ?? 0)) * 1_000) / devices;
    figures.add(`${name}: processor time, ${process}`, value, 'µs');
  }
  figures.add(`${name}: cores busy`, cores, 'cores');
}

/** @returns how long single pushes took that were called for during a bulk send to the second half (ms) */
async function waitDuring(
  context: BenchContext,
  setting: Setting,
  { carillon, calls }: { carillon: Carillon; calls: Omit<Calls, 'seconds'> },
): Promise<number[]> {
  const { app, database } = setting;
  await context.sink.reset();
  const send = async (): Promise<Sent> =>
    carillon.backEnd(app).send(SECOND_HALF, app.devices, BROWSER_PAYLOAD);
  const { done: bulk, caller } = await whileCalling(context, calls, send);
  await untilAllEnded(database);
  return latenciesDuring(setting, bulk, await caller.records());
}
