/**
 * Measures whether single pushes wait for a bulk send: 20 and 500 pushes per second to one device each, alone and during a
 * bulk notification, from the call to the gateway's answer; and what they cost the bulk send. The baseline of the cost is a bare server
 * that pushes as often during a bulk send of Carillon.
 */
import { BARE_SERVER, type BareServer, startBareServer } from '../support/bare-server.ts';
import { callsToBare, warmUpBare } from '../calls/bare-calls.ts';
import type { Bodies, Calls } from '../calls/caller.ts';
import { untilAllEnded } from '../calls/deliveries.ts';
import type { CallRecord } from '../calls/records.ts';
import { addCosts, type Servers } from '../calls/run-calls.ts';
import { latenciesDuring, runSingles, warmUpSingles, whileCalling } from '../calls/single-pushes.ts';
import { writeSingles } from '../calls/target-bodies.ts';
import { type BenchApp, openBenchApp } from '../support/app.ts';
import {
  ALONE,
  sendBulk,
  type Deployment,
  ONE_WORKER,
  possible,
  startCarillon,
} from '../support/carillon.ts';
import type { Sent } from '../support/client.ts';
import type { BenchContext } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { mean, percentile } from '../support/statistics.ts';

const RATES = [20, 500];
/** Bulk notifications during single pushes per round, rate and server, each between two without them. */
const BULK_SENDS_BESIDE = 2;
/** As far apart as those of Carillon during a bulk send. */
const BARE_STATEMENTS_EVERY_MS = 20;

interface Setting extends Servers {
  app: BenchApp;
  name: string;
  calls: Omit<Calls, 'seconds'>;
  bare: BareServer;
  bareCalls: Omit<Calls, 'seconds'>;
}

export async function waitingPerson(context: BenchContext): Promise<void> {
  const { database, app } = await openBenchApp(context, 'both');
  const dir = await makeDir(context);
  const bodies = await writeSingles(dir, database, app, 'by a filter');
  const bareBodies = await writeSingles(dir, database, app, 'by device_id');
  const deployments = possible(context, ALONE, ONE_WORKER);
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const deployment of deployments)
      await measure(context, { database, app, bodies, bareBodies, deployment });
  }
}

async function measure(
  context: BenchContext,
  {
    database,
    app,
    bodies,
    bareBodies,
    deployment,
  }: { database: BenchDatabase; app: BenchApp; bodies: Bodies; bareBodies: Bodies; deployment: Deployment },
): Promise<void> {
  // Then each single push makes an audience.
  await database.sql.query('truncate audiences, notifications cascade');
  const bare = await startBareServer(context, { database, app, everyMs: BARE_STATEMENTS_EVERY_MS });
  const carillon = await startCarillon(context, { database, deployment });
  const { authorization } = carillon.backEnd(app);
  const calls = { url: `${carillon.url}/v6/notifications`, authorization, bodies };
  const bareCalls = callsToBare(bare, bareBodies);
  const setting = { database, carillon, app, name: deployment.name, calls, bare, bareCalls };
  await warmUpSingles(context, setting, calls);
  await warmUpBare(context, bare, bareCalls);
  for (const perSecond of RATES) await measureRate(context, setting, perSecond);
  await carillon.stop();
  await bare.stop();
}

async function measureRate(context: BenchContext, setting: Setting, perSecond: number): Promise<void> {
  const { figures, seconds } = context;
  const { database, app, carillon, calls, bare, bareCalls } = setting;
  const alone = await runSingles(context, setting, { ...calls, perSecond, seconds });
  const bulkMs = async (): Promise<number> =>
    (await sendBulk(context, carillon.backEnd(app), { to: '*', devices: app.devices })).durationMs;
  const busy: number[] = [];
  const besideMs: number[] = [];
  const bareMs: number[] = [];
  // Alternating, with a bulk notification alone at both ends, so that changes in the machine's speed affect all alike.
  const aloneMs = [await bulkMs()];
  while (besideMs.length < BULK_SENDS_BESIDE) {
    const own = { calls: { ...calls, perSecond }, untilStored: async () => untilAllEnded(database) };
    const { bulk, records } = await sendBulkDuring(context, setting, own);
    besideMs.push(bulk.durationMs);
    busy.push(...(await latenciesDuring(setting, bulk, records)));
    aloneMs.push(await bulkMs());
    const barely = { calls: { ...bareCalls, perSecond }, untilStored: async () => bare.untilStored() };
    bareMs.push((await sendBulkDuring(context, setting, barely)).bulk.durationMs);
    aloneMs.push(await bulkMs());
  }

  const label = `${setting.name}, ${perSecond}/s`;
  for (const percent of [50, 99]) {
    const quiet = `${label}: one push, p${percent} alone`;
    const during = `${label}: one push, p${percent} during a bulk send`;
    figures.add(quiet, percentile(alone.latenciesMs, percent), 'ms');
    figures.add(during, percentile(busy, percent), 'ms', [quiet]);
  }
  addCosts(context, `${label}: one push alone`, alone);
  const pushesPerSecond = (durationsMs: readonly number[]): number =>
    app.devices / (mean(durationsMs) / 1_000);
  const bulkAlone = `${label}: bulk send alone`;
  figures.add(bulkAlone, pushesPerSecond(aloneMs), 'pushes/s');
  const bulkDuringBareName = `${label}: bulk send with single pushes of ${BARE_SERVER}`;
  figures.add(bulkDuringBareName, pushesPerSecond(bareMs), 'pushes/s', [bulkAlone]);
  figures.add(`${label}: bulk send with single pushes`, pushesPerSecond(besideMs), 'pushes/s', [
    bulkAlone,
    bulkDuringBareName,
  ]);
}

/**
 * Sends a bulk notification during single pushes of Carillon or of a bare server.
 * @throws if the sink has not received all pushes
 */
async function sendBulkDuring(
  context: BenchContext,
  { app, carillon }: Setting,
  { calls, untilStored }: { calls: Omit<Calls, 'seconds'>; untilStored: () => Promise<void> },
): Promise<{ bulk: Sent; records: CallRecord[] }> {
  await context.sink.reset();
  const send = async (): Promise<Sent> => carillon.backEnd(app).send('*', app.devices);
  const { done: bulk, caller } = await whileCalling(context, calls, send);
  await untilStored();
  const records = await caller.records();
  const sent = app.devices + records.length;
  const { received } = await context.sink.count();
  if (received < sent) throw new Error(`the sink received ${received} of ${sent} pushes`);
  return { bulk, records };
}
