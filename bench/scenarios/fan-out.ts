/**
 * Measures a bulk notification: from the POST to the last answer of a gateway, compared with senders without a database. Gateways
 * differ, so iPhones and Androids are also measured separately.
 */
import { type BenchApp, createBenchApp, HALF, type TokenFiles, writeTokenFiles } from '../support/app.ts';
import { BASELINES, runBaseline } from '../support/baseline.ts';
import { watchCores } from '../machine/busy-cores.ts';
import {
  ALONE,
  sendBulk,
  type Deployment,
  ONE_THREAD,
  ONE_WORKER,
  possible,
  startCarillon,
  TWO_WORKERS,
} from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import type { Platforms } from '../support/credentials.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { makeDir } from '../support/directory.ts';

interface Population {
  platforms: Platforms;
  label: string;
  app: BenchApp;
  tokenFiles: TokenFiles;
}

const LABELS = { both: 'half iOS, half Android', iOS: 'iOS', Android: 'Android' } as const;
const PLATFORMS: readonly Platforms[] = ['both', 'iOS', 'Android'];

export async function fanOut(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const populations = await createPopulations(context, database);
  const deployments = possible(context, ALONE, ONE_THREAD, ONE_WORKER, TWO_WORKERS);
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const population of populations) await measureBaselines(context, population);
    for (const [index, deployment] of deployments.entries()) {
      // The others are measured with the mixed audience only, and against those before them.
      const measured = deployment === ALONE ? populations : populations.slice(0, 1);
      const earlier = deployments.slice(0, index).map(({ name }) => name);
      await measureDeployment(context, database, deployment, { populations: measured, earlier });
    }
  }
}

async function createPopulations(context: BenchContext, database: BenchDatabase): Promise<Population[]> {
  const dir = await makeDir(context);
  const populations: Population[] = [];
  for (const platforms of PLATFORMS) {
    context.say(`inserting ${context.devices} devices: ${LABELS[platforms]}`);
    const app = await createBenchApp(database, context.sink, { platforms, devices: context.devices });
    const tokenFiles = await writeTokenFiles(database, app, dir);
    populations.push({ platforms, label: LABELS[platforms], app, tokenFiles });
  }
  return populations;
}

async function measureBaselines(
  context: BenchContext,
  { label, app, tokenFiles }: Population,
): Promise<void> {
  for (const baseline of ['bare-sender', 'sdk-senders'] as const) {
    const { pushesPerSecond, failed } = await runBaseline(context, baseline, { ...app, tokenFiles });
    context.figures.add(`${BASELINES[baseline]}, ${label}`, pushesPerSecond, 'pushes/s');
    if (failed > 0)
      context.figures.note(`${BASELINES[baseline]}, ${label}: ${failed} of ${app.devices} pushes failed.`);
  }
}

async function measureDeployment(
  context: BenchContext,
  database: BenchDatabase,
  deployment: Deployment,
  { populations, earlier }: { populations: readonly Population[]; earlier: readonly string[] },
): Promise<void> {
  const carillon = await startCarillon(context, { database, deployment });
  for (const { app } of populations) await carillon.warmUp(app);
  for (const { app, label } of populations) {
    const audiences = [
      { audience: '*', to: '*', devices: app.devices },
      { audience: 'a filter for half', to: HALF, devices: app.halfDevices },
    ];
    for (const { audience, to, devices } of audiences) {
      const busyCores = watchCores();
      const { pushesPerSecond } = await sendBulk(context, carillon.backEnd(app), { to, devices });
      const cores = busyCores();
      context.figures.add(`${deployment.name}, ${label}, ${audience}`, pushesPerSecond, 'pushes/s', [
        ...Object.values(BASELINES).map((baseline) => `${baseline}, ${label}`),
        ...(populations.length > 1 ? [] : earlier.map((name) => `${name}, ${label}, ${audience}`)),
      ]);
      // Shows whether more workers could be faster here: they share the machine with the sink and the database.
      context.figures.add(`${deployment.name}, ${label}, ${audience}: cores busy`, cores, 'cores');
    }
  }
  await carillon.stop();
}
