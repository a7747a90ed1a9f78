/**
 * Measures single pushes from the call to the gateway's answer: 32 connections call as fast as they get answers, then 2,500
 * times per second. The first shows how many pass and whether anything falls behind, the second how long one takes.
 */
import { BARE_DELIVERED, measureBareServer } from '../calls/bare-calls.ts';
import type { Bodies } from '../calls/caller.ts';
import { addCosts } from '../calls/run-calls.ts';
import { runSingles, type SinglesRun, warmUpSingles } from '../calls/single-pushes.ts';
import { type Form, FORM_NAMES, writeSingles } from '../calls/target-bodies.ts';
import { type BenchApp, openBenchApp, writeTokenFiles } from '../support/app.ts';
import { BARE_SENDER_IOS, measureBareSender } from '../support/baseline.ts';
import { ALONE, type Deployment, ONE_WORKER, possible, startCarillon } from '../support/carillon.ts';
import { COMMITS, measureCommits } from '../calls/commits.ts';
import type { BenchContext } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { percentile } from '../support/statistics.ts';

/** Half of the promised rate. */
const EVEN_CALLS_PER_SECOND = 2_500;

interface Setting {
  database: BenchDatabase;
  app: BenchApp;
  deployment: Deployment;
  form: Form;
  bodies: Bodies;
}

export async function singles(context: BenchContext): Promise<void> {
  const { database, app } = await openBenchApp(context, 'iOS');
  const dir = await makeDir(context);
  const tokenFiles = await writeTokenFiles(database, app, dir);
  const targets: { form: Form; bodies: Bodies }[] = [];
  for (const form of FORM_NAMES) targets.push({ form, bodies: await writeSingles(dir, database, app, form) });
  const bareBodies = await writeSingles(dir, database, app, 'by device_id');
  for (let round = 1; round <= context.runs; round++) {
    await measureBareSender(context, { ...app, tokenFiles });
    await measureCommits(context, database);
    await measureBareServer(context, { database, app, bodies: bareBodies });
    for (const deployment of possible(context, ALONE, ONE_WORKER)) {
      for (const { form, bodies } of targets) {
        context.say(`round ${round} of ${context.runs}: ${deployment.name}, ${form}`);
        await measure(context, { database, app, deployment, form, bodies });
      }
    }
  }
}

/** New processes and empty tables, so that every call makes its audience, in every round. */
async function measure(context: BenchContext, setting: Setting): Promise<void> {
  const { database, app, deployment, bodies } = setting;
  await database.sql.query('truncate audiences, notifications cascade');
  const carillon = await startCarillon(context, { database, deployment });
  const { authorization } = carillon.backEnd(app);
  const calls = { url: `${carillon.url}/v6/notifications`, authorization, bodies, seconds: context.seconds };
  const servers = { database, carillon, app };
  await warmUpSingles(context, servers, calls);
  const label = `${deployment.name}, ${setting.form}`;
  addFullSpeed(context, label, await runSingles(context, servers, calls));
  const even = await runSingles(context, servers, { ...calls, perSecond: EVEN_CALLS_PER_SECOND });
  addEven(context, `${label}, ${EVEN_CALLS_PER_SECOND}/s`, even);
  await carillon.stop();
}

function addFullSpeed(context: BenchContext, label: string, run: SinglesRun): void {
  const { figures } = context;
  figures.add(`${label}: accepted`, run.callsPerSecond, 'requests/s', [COMMITS]);
  figures.add(`${label}: delivered`, run.deliveredPerSecond, 'pushes/s', [
    COMMITS,
    BARE_DELIVERED,
    BARE_SENDER_IOS,
  ]);
  figures.add(`${label}: backlog at the last answer`, run.backlog, 'pushes');
  addLatencies(context, label, run);
  addCosts(context, label, run);
}

/** Also shows whether the rate was sustained. */
function addEven(context: BenchContext, label: string, run: SinglesRun): void {
  context.figures.add(`${label}: delivered`, run.deliveredPerSecond, 'pushes/s');
  addLatencies(context, label, run);
}

function addLatencies({ figures }: BenchContext, label: string, { latenciesMs }: SinglesRun): void {
  for (const percent of [50, 99]) {
    const value = percentile(latenciesMs, percent);
    figures.add(`${label}: from call to gateway, p${percent}`, value, 'ms');
  }
}
