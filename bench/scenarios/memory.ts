/**
 * Shows whether memory grows with the audience: the memory of a worker that pushes to 50 times as many devices (with
 * 200,000 devices ordered: 20,000 and 1,000,000). A new worker for each.
 */
import { residentMiB } from '../machine/resident-memory.ts';
import { type BenchApp, openBenchApp } from '../support/app.ts';
import {
  ALONE,
  sendBulk,
  type Deployment,
  ONE_WORKER,
  possible,
  startCarillon,
} from '../support/carillon.ts';
import { onBeat } from '../support/beat.ts';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { median } from '../support/statistics.ts';

const SAMPLE_EVERY_MS = 50;

export async function memory(context: BenchContext): Promise<void> {
  if (process.platform !== 'linux') {
    context.figures.note('Memory is read from /proc, which only Linux has.');
    return;
  }
  // A separate worker if there is Redis; otherwise the single process with all roles.
  const deployment = possible(context, ONE_WORKER)[0] ?? ALONE;
  const few = Math.ceil(context.devices / 10);
  const many = context.devices * 5;
  const measured = [];
  for (const { devices, against } of [{ devices: few }, { devices: many, against: few }]) {
    // Separate databases, because the apps have the same bundle id.
    measured.push({ ...(await openBenchApp(context, 'both', devices)), against });
  }
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const { database, app, against } of measured)
      await measure(context, deployment, database, app, against);
  }
}

async function measure(
  context: BenchContext,
  deployment: Deployment,
  database: BenchDatabase,
  app: BenchApp,
  against: number | undefined,
): Promise<void> {
  const carillon = await startCarillon(context, { database, deployment });
  await carillon.warmUp(app);
  const pid = carillon.senderPids[0] ?? 0;
  const sending = sendBulk(context, carillon.backEnd(app), { to: '*', devices: app.devices });
  const samples = await sampleUntil(sending, async () => residentMiB(pid, 'VmRSS'));
  const values = {
    'at its peak': await residentMiB(pid, 'VmHWM'),
    // The second half, when the heap has reached its final size.
    'in the steady state': median(samples.slice(Math.floor(samples.length / 2))),
  };
  await carillon.stop();
  const worker = deployment === ALONE ? 'all in one' : 'a worker';
  for (const [when, value] of Object.entries(values)) {
    context.figures.add(
      `${worker}, ${app.devices} devices, ${when}`,
      value,
      'MiB',
      against === undefined ? [] : [`${worker}, ${against} devices, ${when}`],
    );
  }
}

async function sampleUntil(over: Promise<unknown>, sample: () => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  await onBeat(over, SAMPLE_EVERY_MS, async () => {
    samples.push(await sample());
  });
  return samples;
}
