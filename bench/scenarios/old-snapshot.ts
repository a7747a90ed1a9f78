/**
 * Measures what a transaction that is held open costs (`--seconds 1800`): meanwhile Postgres removes no row version, and rows that are
 * updated often leave a trail that every reader walks. Bulk notifications and single pushes take turns before, during and after it.
 */
import { Client } from 'pg';
import { z } from 'zod';
import { runSingles, warmUpSingles } from '../calls/single-pushes.ts';
import { writeSingles } from '../calls/target-bodies.ts';
import { openBenchApp } from '../support/app.ts';
import {
  ALONE,
  type Deployment,
  possible,
  sendBulk,
  startCarillon,
  TWO_WORKERS,
} from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';
import { makeDir } from '../support/directory.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { mean } from '../support/statistics.ts';

const SINGLES_SECONDS = 10;
/** Before, after, and the last ones during it. */
const TURNS_COMPARED = 3;
const GROWN_BYTES_MIN = 1_024 ** 2;

interface Turn {
  bulk: number;
  singles: number;
}

export async function oldSnapshot(context: BenchContext): Promise<void> {
  for (const deployment of possible(context, ALONE, TWO_WORKERS)) {
    if (deployment.name.includes(context.only ?? '')) await measure(context, deployment);
  }
}

async function measure(context: BenchContext, deployment: Deployment): Promise<void> {
  const { figures, devices, seconds } = context;
  const say = (line: string): void => context.say(`${deployment.name}: ${line}`);
  const { database, app } = await openBenchApp(context, 'both');
  const bodies = await writeSingles(await makeDir(context), database, app, 'by a filter');
  const carillon = await startCarillon(context, { database, deployment });
  const { authorization } = carillon.backEnd(app);
  const calls = { url: `${carillon.url}/v6/notifications`, authorization, bodies, seconds: SINGLES_SECONDS };
  const servers = { database, carillon, app };
  await warmUpSingles(context, servers, calls);
  const turn = async (): Promise<Turn> => {
    const bulk = await sendBulk(context, carillon.backEnd(app), { to: '*', devices });
    const singles = await runSingles(context, servers, calls);
    return { bulk: bulk.pushesPerSecond, singles: singles.deliveredPerSecond };
  };
  const turns = async (): Promise<Turn[]> => {
    const taken: Turn[] = [];
    while (taken.length < TURNS_COMPARED) taken.push(await turn());
    return taken;
  };

  say('before');
  const before = await turns();
  const sizes = await readSizes(database);
  const snapshot = new Client({ connectionString: database.url });
  await snapshot.connect();
  await snapshot.query('begin isolation level repeatable read; select count(*) from apps');
  const heldSinceMs = performance.now();
  const during: Turn[] = [];
  while (during.length < TURNS_COMPARED || performance.now() - heldSinceMs < seconds * 1_000) {
    during.push(await turn());
    const { bulk, singles } = during.at(-1) ?? { bulk: 0, singles: 0 };
    const minutes = (performance.now() - heldSinceMs) / 60_000;
    say(
      `held for ${minutes.toFixed(1)} minutes: bulk ${bulk.toFixed()}, single pushes ${singles.toFixed()} a second`,
    );
  }
  const heldMinutes = (performance.now() - heldSinceMs) / 60_000;
  const grown = await readSizes(database);
  await snapshot.query('rollback');
  await snapshot.end();
  await database.sql.query('vacuum (analyze)');
  say('after');
  const after = await turns();
  await carillon.stop();

  const held = `after ${heldMinutes.toFixed()} minutes`;
  for (const [key, name] of [
    ['bulk', `${deployment.name}, bulk send`],
    ['singles', `${deployment.name}, single pushes`],
  ] as const) {
    const control = `${name}, no old snapshot (before and afterwards)`;
    const without = [...before, ...after].map((one) => one[key]);
    figures.add(control, mean(without), 'pushes/s');
    const last = during.slice(-TURNS_COMPARED).map((one) => one[key]);
    figures.add(`${name}, an old snapshot ${held}`, mean(last), 'pushes/s', [control]);
  }
  for (const [table, { bytes, dead }] of grown) {
    const more = bytes - (sizes.get(table)?.bytes ?? 0);
    if (more < GROWN_BYTES_MIN) continue;
    figures.add(`${deployment.name}, ${table}: grown by`, more / 1_024 ** 2, 'MiB');
    figures.add(`${deployment.name}, ${table}: row versions that could not be removed`, dead, 'rows');
  }
}

const sizeSchema = z.object({ table: z.string(), bytes: z.coerce.number(), dead: z.coerce.number() });

async function readSizes({ read }: BenchDatabase): Promise<Map<string, { bytes: number; dead: number }>> {
  const sizes = await read(
    sizeSchema,
    `select relname as table, pg_total_relation_size(relid) as bytes, n_dead_tup as dead
     from pg_stat_user_tables order by relname`,
  );
  return new Map(sizes.map(({ table, ...size }) => [table, size]));
}
