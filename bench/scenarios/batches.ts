/**
 * Measures `POST /v6/notifications/batch` from end to end: 4 connections send batches of 1,000 pushes to one device each, as fast as
 * they get answers. Shows how many are accepted and delivered per second, and whether anything falls behind.
 */
import { COMMITS, measureCommits } from '../calls/commits.ts';
import { countUnfinished, untilNothingIsLeft } from '../calls/deliveries.ts';
import { addCosts, runCalls } from '../calls/run-calls.ts';
import { warmUpSingles } from '../calls/single-pushes.ts';
import { type Form, FORM_NAMES, writeBatches, writeSingles } from '../calls/target-bodies.ts';
import { type BenchApp, createBenchApp, writeTokenFiles } from '../support/app.ts';
import { BARE_SENDER_IOS, measureBareSender } from '../support/baseline.ts';
import { ALONE, type Deployment, ONE_WORKER, possible, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';

const BATCH = 1_000;
const CONNECTIONS = 4;

interface Setting {
  database: BenchDatabase;
  app: BenchApp;
  deployment: Deployment;
  form: Form;
}

export async function batches(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'iOS', devices: context.devices });
  const tokenFiles = await writeTokenFiles(database, app, await makeDir(context));
  for (let round = 1; round <= context.runs; round++) {
    await measureBareSender(context, { ...app, tokenFiles });
    await measureCommits(context, database);
    for (const deployment of possible(context, ALONE, ONE_WORKER)) {
      for (const form of FORM_NAMES) {
        context.say(`round ${round} of ${context.runs}: ${deployment.name}, ${form}`);
        await measure(context, { database, app, deployment, form });
      }
    }
  }
}

/** @throws if the sink has received more or fewer pushes than were accepted */
async function measure(context: BenchContext, { database, app, deployment, form }: Setting): Promise<void> {
  await database.sql.query('truncate audiences, notifications cascade');
  const carillon = await startCarillon(context, { database, deployment });
  const servers = { database, carillon, app };
  const { authorization } = carillon.backEnd(app);
  const url = `${carillon.url}/v6/notifications`;
  const dir = await makeDir(context);
  await warmUpSingles(context, servers, {
    url,
    authorization,
    bodies: await writeSingles(dir, database, app, form),
  });
  await context.sink.reset();

  const bodies = await writeBatches(dir, database, app, { form, size: BATCH });
  const calls = {
    url: `${url}/batch`,
    authorization,
    bodies,
    connections: CONNECTIONS,
    seconds: context.seconds,
  };
  let backlog = 0;
  const untilDelivered = async (): Promise<void> => {
    backlog = await countUnfinished(database);
    await untilNothingIsLeft(database, backlog);
  };
  const run = await runCalls(context, { database, called: carillon }, calls, untilDelivered, BATCH);
  const seconds = (Date.now() - run.firstMs) / 1_000;
  const pushes = run.accepted * BATCH;
  const { received } = await context.sink.count();
  if (received !== pushes) throw new Error(`${pushes} pushes were accepted in batches, ${received} received`);

  const { figures } = context;
  const label = `${deployment.name}, ${form}`;
  const against = [COMMITS, BARE_SENDER_IOS];
  figures.add({ name: `${label}: accepted`, unit: 'pushes/s', value: run.callsPerSecond * BATCH, against });
  figures.add({ name: `${label}: delivered`, unit: 'pushes/s', value: pushes / seconds, against });
  figures.add({ name: `${label}: backlog at the last answer`, unit: 'pushes', value: backlog });
  addCosts(context, label, run);
  await carillon.stop();
}
