/**
 * Whether somebody who waits for one push waits for a broadcast: every 50 ms a push to one device, by itself
 * and while everybody is being pushed to, from before the POST to the gateway's answer; and what that costs
 * the broadcast.
 *
 * The answer's time is the one that the worker recorded for the device when the answer came in, read back
 * when all is over: to the millisecond, on the clock of this machine, and without a question asked meanwhile.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchApp, createBenchApp, readIphoneIds } from '../support/app.ts';
import {
  ALONE,
  broadcast,
  type Deployment,
  ONE_WORKER,
  possible,
  startCarillon,
} from '../support/carillon.ts';
import type { BackEnd } from '../support/client.ts';
import { onBeat } from '../support/beat.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { mean, percentile } from '../support/statistics.ts';

const PUSH_EVERY_MS = 50;
/** Broadcasts beside single pushes a round, each between two by themselves. */
const BROADCASTS_BESIDE = 2;
/**
 * A server that somebody waits for has sent single pushes before. After 300 of them V8 still compiles, on the cores that
 * a broadcast wants: of an API and a worker it took 1.1 ms a push then, beside their threads, and 0.2 after 3,000.
 */
const WARM_UP_CALLERS = 30;
const WARM_UP_PUSHES = 100;
const DEVICE_IDS_MAX = 50_000;

/** The devices that are pushed to one by one: each once, so that each push makes an audience of its own. */
type DeviceIds = Iterator<string, undefined>;

export async function waitingPerson(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'both', devices: context.devices });
  const ids = (await readIphoneIds(database, app, DEVICE_IDS_MAX)).values();
  const deployments = possible(context, ALONE, ONE_WORKER);
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const deployment of deployments) await measure(context, { database, app, ids, deployment });
  }
}

async function measure(
  context: BenchContext,
  {
    database,
    app,
    ids,
    deployment,
  }: { database: BenchDatabase; app: BenchApp; ids: DeviceIds; deployment: Deployment },
): Promise<void> {
  const { figures } = context;
  const { name } = deployment;
  const carillon = await startCarillon(context, { database, deployment });
  await carillon.warmUp(app);
  const backEnd = carillon.backEnd(app);
  const broadcastMs = async (): Promise<number> =>
    (await broadcast(context, backEnd, { to: '*', devices: app.devices })).durationMs;
  await Promise.all(Array.from({ length: WARM_UP_CALLERS }, async () => warmUpCaller(backEnd, ids)));
  // As autovacuum does within a minute; until then Postgres has plans for tables with nothing in them.
  await database.sql.query('analyze audiences, notifications, delivery_slices');

  const quiet = await pushOneByOne(backEnd, ids, wait(context.seconds * 1_000));
  const busy: number[] = [];
  const besideMs: number[] = [];
  // In turns, with one by itself at both ends: what the machine's speed does meanwhile, it does to both alike.
  const aloneMs = [await broadcastMs()];
  while (besideMs.length < BROADCASTS_BESIDE) {
    const created = await backEnd.create('*');
    const sending = backEnd.untilSent(created, app.devices);
    busy.push(...(await pushOneByOne(backEnd, ids, sending)));
    besideMs.push((await sending).durationMs);
    aloneMs.push(await broadcastMs());
  }
  await carillon.stop();

  const latencies = [
    { when: 'by itself', latenciesMs: quiet, against: (): string[] => [] },
    { when: 'during a broadcast', latenciesMs: busy, against: (p: string) => [`${name}, ${p} by itself`] },
  ];
  for (const { when, latenciesMs, against } of latencies) {
    for (const percent of [50, 99]) {
      const value = percentile(latenciesMs, percent);
      const label = `one push, p${percent}`;
      figures.add({ name: `${name}, ${label} ${when}`, unit: 'ms', value, against: against(label) });
    }
  }
  const pushesPerSecond = (broadcastsMs: readonly number[]): number =>
    app.devices / (mean(broadcastsMs) / 1_000);
  figures.add({ name: `${name}, broadcast by itself`, unit: 'pushes/s', value: pushesPerSecond(aloneMs) });
  figures.add({
    name: `${name}, broadcast with single pushes`,
    unit: 'pushes/s',
    value: pushesPerSecond(besideMs),
    against: [`${name}, broadcast by itself`],
  });
}

/**
 * Pushes to one device after the other on a fixed beat, whether or not those before have arrived, until
 * `over`. @returns milliseconds from the call to the gateway's answer, for each
 */
async function pushOneByOne(backEnd: BackEnd, ids: DeviceIds, over: Promise<unknown>): Promise<number[]> {
  const pushes: Promise<() => Promise<number>>[] = [];
  await onBeat(over, PUSH_EVERY_MS, () => {
    pushes.push(pushTo(backEnd, ids));
  });
  const latencies: number[] = [];
  for (const readLatency of await Promise.all(pushes)) latencies.push(await readLatency());
  return latencies;
}

async function warmUpCaller(backEnd: BackEnd, ids: DeviceIds): Promise<void> {
  for (let pushes = 0; pushes < WARM_UP_PUSHES; pushes++) await (await pushTo(backEnd, ids))();
}

async function pushTo(backEnd: BackEnd, ids: DeviceIds): Promise<() => Promise<number>> {
  const { value: deviceId } = ids.next();
  if (deviceId === undefined) throw new Error('there are too few iPhones for so many single pushes');
  const created = await backEnd.create([{ name: 'device_id', criteria: [deviceId] }]);
  return async () => {
    await backEnd.untilSent(created, 1);
    return (await backEnd.acceptedAtMs(created.id, deviceId)) - created.startedMs;
  };
}
