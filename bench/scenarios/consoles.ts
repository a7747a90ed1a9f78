/**
 * Measures what open consoles cost a bulk send: 10 consoles, each with a live view of it, against none. Its speed changes by some
 * 5 % from one bulk notification to the next; the processor time that a push takes of all processes, by less.
 */
import { openConsoles } from '../calls/consoles.ts';
import { postgresPid } from '../machine/processor-time.ts';
import { type WatchedProcess, watchProcessors } from '../machine/processor-watch.ts';
import { type BenchApp, createBenchApp } from '../support/app.ts';
import { ALONE, type Carillon, ONE_WORKER, possible, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import type { Unit } from '../support/figures.ts';
import { mean, sum } from '../support/statistics.ts';

const CONSOLES = 10;
/** Bulk notifications with consoles per round, each between two without. */
const BULK_SENDS_WATCHED = 3;

export async function consoles(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'both', devices: context.devices });
  for (let round = 1; round <= context.runs; round++) {
    for (const deployment of possible(context, ALONE, ONE_WORKER)) {
      context.say(`round ${round} of ${context.runs}: ${deployment.name}`);
      const carillon = await startCarillon(context, { database, deployment });
      await carillon.warmUp(app);
      await measure(context, { database, carillon, app, name: deployment.name });
      await carillon.stop();
    }
  }
}

interface Setting {
  database: BenchDatabase;
  carillon: Carillon;
  app: BenchApp;
  /** The name of the deployment. */
  name: string;
}

/** What a bulk notification took: until all was sent, and of the processors. The latter is undefined where it cannot be read. */
interface Cost {
  durationMs: number;
  processorMs: number | undefined;
}

async function measure({ figures }: BenchContext, { database, carillon, app, name }: Setting): Promise<void> {
  const backEnd = carillon.backEnd(app);
  const processes = await processesOf(database, carillon);
  const sendBulk = async (watch?: (id: string) => void): Promise<Cost> => {
    const used = processes && (await watchProcessors(processes));
    const created = await backEnd.create('*');
    watch?.(created.id);
    const { durationMs } = await backEnd.untilSent(created, app.devices);
    const byProcess = await used?.();
    return { durationMs, processorMs: byProcess && sum([...byProcess.values()]) };
  };
  const watched: Cost[] = [];
  // Alternating, with a bulk notification alone at both ends, so that changes in the machine's speed affect both alike.
  const alone = [await sendBulk()];
  while (watched.length < BULK_SENDS_WATCHED) {
    const open = openConsoles({ url: carillon.url, authorization: backEnd.authorization }, CONSOLES);
    watched.push(await sendBulk((id) => open.watch(id)));
    await open.ended();
    const { events } = await open.close();
    if (events < CONSOLES * 2) throw new Error(`${CONSOLES} live views got only ${events} events`);
    alone.push(await sendBulk());
  }
  const add = (
    { what, unit }: { what: string; unit: Unit },
    valueOf: (costs: readonly Cost[]) => number,
  ): void => {
    const against = `${name}: ${what}, no console open`;
    figures.add({ name: against, unit, value: valueOf(alone) });
    const watchers = `${name}: ${what}, ${CONSOLES} consoles watch it`;
    figures.add({ name: watchers, unit, value: valueOf(watched), against: [against] });
  };
  add(
    { what: 'bulk send', unit: 'pushes/s' },
    (costs) => app.devices / (mean(costs.map(({ durationMs }) => durationMs)) / 1_000),
  );
  if (processes === undefined) return;
  add(
    { what: 'processor time per push', unit: 'µs' },
    (costs) => (mean(costs.map(({ processorMs = 0 }) => processorMs)) * 1_000) / app.devices,
  );
}

/** The servers and Postgres; undefined where their processor time cannot be read. */
async function processesOf(
  database: BenchDatabase,
  carillon: Carillon,
): Promise<WatchedProcess[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const pid = await postgresPid(database);
  return pid === undefined ? undefined : [...carillon.processes, { name: 'Postgres', pid }];
}
