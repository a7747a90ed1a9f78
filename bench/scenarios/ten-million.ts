/**
 * One bulk notification to very many devices while processes are killed (`--devices 10000000 --kill 20 --sink counting`): nothing may
 * be lost or shown twice. It gives the time against the same without kills, and what one such bulk notification costs.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { logPosition } from '../calls/run-calls.ts';
import { watchCores } from '../machine/busy-cores.ts';
import { type BenchApp, openBenchApp } from '../support/app.ts';
import { ALONE, type Carillon, possible, startCarillon, TWO_WORKERS } from '../support/carillon.ts';
import type { BackEnd, Sent } from '../support/client.ts';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';

const POLL_EVERY_MS = 250;

export async function tenMillion(context: BenchContext): Promise<void> {
  const { database, app } = await openBenchApp(context, 'both');
  const deployment = possible(context, TWO_WORKERS)[0] ?? ALONE;
  for (let round = 1; round <= context.runs; round++) {
    const carillon = await startCarillon(context, { database, deployment });
    await carillon.warmUp(app);
    const undisturbed = `${deployment.name}, undisturbed`;
    await measure(context, { database, app, carillon, name: undisturbed, kills: 0 });
    const name = `${deployment.name}, processes killed ${context.kill} times`;
    await measure(context, { database, app, carillon, name, kills: context.kill, against: [undisturbed] });
    await carillon.stop();
  }
}

interface Run {
  database: BenchDatabase;
  app: BenchApp;
  carillon: Carillon;
  name: string;
  kills: number;
  against?: readonly string[];
}

/** @throws if a push was lost, or shown twice */
async function measure(context: BenchContext, run: Run): Promise<void> {
  const { figures, sink, say } = context;
  const { database, app, carillon, name, kills, against = [] } = run;
  say(name);
  await sink.reset();
  const before = { log: await logPosition(database), bytes: await databaseBytes(database) };
  const busyCores = watchCores();
  const backEnd = carillon.backEnd(app);
  const created = await backEnd.create('*');
  for (let kill = 1; kill <= kills; kill++) {
    await untilReceived(context, (kill * app.devices) / (kills + 1));
    const index = kill % carillon.processes.length;
    say(`kills ${carillon.processes[index]?.name}: ${kill} of ${kills}`);
    await carillon.kill(index);
  }
  const { durationMs } = await untilSent(backEnd, created, app.devices);
  const seconds = durationMs / 1_000;
  const cores = busyCores();
  const { received, repeated, shownTwice } = await sink.count();
  const lost = app.devices - (received - (repeated ?? 0));
  if (lost > 0 || (shownTwice ?? 0) > 0) throw new Error(`${lost} lost, ${shownTwice} shown twice`);
  if (repeated === null) figures.note('This sink does not know which pushes were repeated or shown twice.');
  figures.add(name, app.devices / seconds, 'pushes/s', against);
  figures.add(`${name}: in all`, seconds, 's');
  figures.add(`${name}: repeated, in the place of the first`, received - app.devices, 'pushes');
  figures.add(`${name}: processor time of the machine per push`, (cores * seconds * 1e6) / app.devices, 'µs');
  const logged = (await logPosition(database)) - before.log;
  figures.add(`${name}: write-ahead log per push`, logged / app.devices, 'B');
  const grown = (await databaseBytes(database)) - before.bytes;
  figures.add(`${name}: the database has grown by`, grown / 1_024 ** 2, 'MiB');
}

async function untilReceived({ sink }: BenchContext, pushes: number): Promise<void> {
  while ((await sink.count()).received < pushes) await wait(POLL_EVERY_MS);
}

/** Asks again while the API is killed. */
async function untilSent(
  backEnd: BackEnd,
  created: { id: string; startedMs: number },
  devices: number,
): Promise<Sent> {
  for (;;) {
    try {
      return await backEnd.untilSent(created, devices);
    } catch (error) {
      const { data } = z.object({ code: z.enum(['ECONNREFUSED', 'ECONNRESET']) }).safeParse(error);
      if (data === undefined) throw error;
      await wait(POLL_EVERY_MS);
    }
  }
}

async function databaseBytes({ readOne }: BenchDatabase): Promise<number> {
  const row = z.object({ bytes: z.coerce.number() });
  return (await readOne(row, 'select pg_database_size(current_database()) as bytes')).bytes;
}
