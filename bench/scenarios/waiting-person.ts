/**
 * Measures whether single pushes wait for a broadcast: a push to one device every 50 ms, alone and during a broadcast,
 * from before the POST to the gateway's answer; and what they cost the broadcast.
 *
 * The time of an answer is the one that the worker has recorded for the device. It is read after the run: to the
 * millisecond, on the clock of this machine, and without queries during the measurement.
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
/** Broadcasts during single pushes per round, each between two without them. */
const BROADCASTS_BESIDE = 2;
/**
 * Single pushes sent before the measurement. After 300 of them V8 still compiles, on the cores that a broadcast needs: in
 * an API and a worker that took 1.1 ms per push, and 0.2 ms after 3,000.
 */
const WARM_UP_CALLERS = 30;
const WARM_UP_PUSHES = 100;
const DEVICE_IDS_MAX = 50_000;

/** The devices of the single pushes: each is used once, so that each push creates an audience. */
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
  // Autovacuum does this within a minute; until then Postgres plans for empty tables.
  await database.sql.query('analyze audiences, notifications, delivery_slices');

  const quiet = await pushOneByOne(backEnd, ids, wait(context.seconds * 1_000));
  const busy: number[] = [];
  const besideMs: number[] = [];
  // Alternating, with a broadcast alone at both ends, so that changes in the machine's speed affect both alike.
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
    { when: 'alone', latenciesMs: quiet, against: (): string[] => [] },
    { when: 'during a broadcast', latenciesMs: busy, against: (p: string) => [`${name}, ${p} alone`] },
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
  figures.add({ name: `${name}, broadcast alone`, unit: 'pushes/s', value: pushesPerSecond(aloneMs) });
  figures.add({
    name: `${name}, broadcast with single pushes`,
    unit: 'pushes/s',
    value: pushesPerSecond(besideMs),
    against: [`${name}, broadcast alone`],
  });
}

/**
 * Pushes to one device after the other at fixed times until `over`, whether or not earlier ones have arrived.
 * @returns milliseconds from each call to the gateway's answer
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
  if (deviceId === undefined) throw new Error('there are too few iPhones for the single pushes');
  const created = await backEnd.create([{ name: 'device_id', criteria: [deviceId] }]);
  return async () => {
    await backEnd.untilSent(created, 1);
    return (await backEnd.acceptedAtMs(created.id, deviceId)) - created.startedMs;
  };
}
