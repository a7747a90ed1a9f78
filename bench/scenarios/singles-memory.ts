/** Shows whether memory grows with the number of single pushes: a million of them, to a server with all roles. */
import { z } from 'zod';
import { warmUpSingles } from '../calls/single-pushes.ts';
import type { Calls } from '../calls/caller.ts';
import { countSent, countUnfinished, untilNothingIsLeft } from '../calls/deliveries.ts';
import { runCalls, type Servers } from '../calls/run-calls.ts';
import { writeSingles } from '../calls/target-bodies.ts';
import { residentMiB } from '../machine/resident-memory.ts';
import { createBenchApp } from '../support/app.ts';
import { ALONE, type Carillon, startCarillon } from '../support/carillon.ts';
import { onBeat } from '../support/beat.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { median } from '../support/statistics.ts';

const SAMPLE_EVERY_MS = 10_000;
/** A limit at which something is broken. */
const PUSHES_PER_SECOND_MIN = 200;
const REQUEST_TIMEOUT_MS = 10_000;
const MIB = 2 ** 20;

/** In MiB. */
interface Sample {
  resident: number;
  heap: number;
}

export async function singlesMemory(context: BenchContext): Promise<void> {
  if (process.platform !== 'linux') {
    context.figures.note('Memory is read from /proc, which only Linux has.');
    return;
  }
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'iOS', devices: context.devices });
  const bodies = await writeSingles(await makeDir(context), database, app, 'by a filter');
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    await database.sql.query('truncate audiences, notifications cascade');
    const carillon = await startCarillon(context, { database, deployment: ALONE });
    const { authorization } = carillon.backEnd(app);
    const calls = { url: `${carillon.url}/v6/notifications`, authorization, bodies };
    const servers = { database, carillon, app };
    await warmUpSingles(context, servers, calls);
    addSamples(context, await pushAll(context, servers, calls));
    await addTableSizes(context, database);
    await carillon.stop();
  }
}

/** @returns samples from the first call until all are delivered */
async function pushAll(
  context: BenchContext,
  { database, carillon }: Servers,
  calls: Omit<Calls, 'seconds'>,
): Promise<Sample[]> {
  const sentBefore = await countSent(database);
  const seconds = Math.ceil(context.pushes / PUSHES_PER_SECOND_MIN);
  const limits = { callsMax: context.pushes, seconds };
  const running = runCalls(context, { database, called: carillon }, { ...calls, ...limits }, async () =>
    untilNothingIsLeft(database, await countUnfinished(database)),
  );
  const samples = await sampleUntil(running, carillon);
  const { accepted, firstMs } = await running;
  const value = (accepted * 1_000) / (Date.now() - firstMs);
  context.figures.add({ name: 'delivered', unit: 'pushes/s', value });
  const sent = (await countSent(database)) - sentBefore;
  if (sent !== accepted) throw new Error(`${sent} of ${accepted} notifications are sent`);
  return samples;
}

async function sampleUntil(over: Promise<unknown>, carillon: Carillon): Promise<Sample[]> {
  const samples: Sample[] = [];
  await onBeat(over, SAMPLE_EVERY_MS, async () => {
    samples.push(await takeSample(carillon));
  });
  samples.push(await takeSample(carillon));
  return samples;
}

async function takeSample({ url, processes: [server] }: Carillon): Promise<Sample> {
  const page = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  const [, heapBytes] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(await page.text()) ?? [];
  return { resident: await residentMiB(server?.pid ?? 0, 'VmRSS'), heap: Number(heapBytes) / MIB };
}

/** Compares the first tenth with the last. */
function addSamples({ figures }: BenchContext, samples: readonly Sample[]): void {
  const tenth = Math.ceil(samples.length / 10);
  for (const kind of ['resident', 'heap'] as const) {
    const values = samples.map((sample) => sample[kind]);
    const first = `${kind} memory, first tenth`;
    figures.add({ name: first, unit: 'MiB', value: median(values.slice(0, tenth)) });
    const last = { name: `${kind} memory, last tenth`, unit: 'MiB', against: [first] } as const;
    figures.add({ ...last, value: median(values.slice(-tenth)) });
    figures.add({
      name: `${kind} memory, largest`,
      unit: 'MiB',
      value: Math.max(...values),
      against: [first],
    });
  }
}

const tableSizes = z.array(z.object({ name: z.string(), bytes: z.coerce.number() }));

async function addTableSizes({ figures }: BenchContext, { sql }: BenchDatabase): Promise<void> {
  const { rows } = await sql.query(
    `select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables
     where relname in ('audiences', 'notifications', 'delivery_slices', 'delivery_progress') order by relname`,
  );
  for (const { name, bytes } of tableSizes.parse(rows))
    figures.add({ name: `table ${name}, indexes included`, unit: 'MiB', value: bytes / MIB });
}
