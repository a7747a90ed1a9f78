/** Measures what open consoles cost a broadcast: 10 consoles, each with a live view of it, against none. */
import { openConsoles } from '../calls/consoles.ts';
import { type BenchApp, createBenchApp } from '../support/app.ts';
import { ALONE, type Carillon, ONE_WORKER, possible, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { mean } from '../support/statistics.ts';

const CONSOLES = 10;
/** Broadcasts with consoles per round, each between two without. */
const BROADCASTS_WATCHED = 3;

export async function consoles(context: BenchContext): Promise<void> {
  const database = keepOpen(context, await context.postgres.createDatabase());
  const app = await createBenchApp(database, context.sink, { platforms: 'both', devices: context.devices });
  for (let round = 1; round <= context.runs; round++) {
    for (const deployment of possible(context, ALONE, ONE_WORKER)) {
      context.say(`round ${round} of ${context.runs}: ${deployment.name}`);
      const carillon = await startCarillon(context, { database, deployment });
      await carillon.warmUp(app);
      await measure(context, { carillon, app, name: deployment.name });
      await carillon.stop();
    }
  }
}

async function measure(
  { figures }: BenchContext,
  { carillon, app, name }: { carillon: Carillon; app: BenchApp; name: string },
): Promise<void> {
  const backEnd = carillon.backEnd(app);
  const broadcastMs = async (watch?: (id: string) => void): Promise<number> => {
    const created = await backEnd.create('*');
    watch?.(created.id);
    return (await backEnd.untilSent(created, app.devices)).durationMs;
  };
  const watchedMs: number[] = [];
  // Alternating, with a broadcast alone at both ends, so that changes in the machine's speed affect both alike.
  const aloneMs = [await broadcastMs()];
  while (watchedMs.length < BROADCASTS_WATCHED) {
    const open = openConsoles({ url: carillon.url, authorization: backEnd.authorization }, CONSOLES);
    watchedMs.push(await broadcastMs((id) => open.watch(id)));
    const { events } = await open.close();
    if (events < CONSOLES * 2) throw new Error(`${CONSOLES} live views got only ${events} events`);
    aloneMs.push(await broadcastMs());
  }
  const pushesPerSecond = (durationsMs: readonly number[]): number =>
    app.devices / (mean(durationsMs) / 1_000);
  const alone = `${name}: broadcast, no console open`;
  figures.add({ name: alone, unit: 'pushes/s', value: pushesPerSecond(aloneMs) });
  figures.add({
    name: `${name}: broadcast, ${CONSOLES} consoles watch it`,
    unit: 'pushes/s',
    value: pushesPerSecond(watchedMs),
    against: [alone],
  });
}
