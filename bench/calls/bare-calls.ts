/** Calls to the baseline of servers of single pushes (bench/support/bare-server.ts). */
import { BARE_SERVER, type BareServer, startBareServer } from '../support/bare-server.ts';
import type { BenchApp } from '../support/app.ts';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { type Bodies, type Calls, startCaller } from './caller.ts';
import { addCosts, runCalls } from './run-calls.ts';

const WARM_UP_CALLS = 20_000;
const WARM_UP_SECONDS_MAX = 30;

/** The name of the figure that `measureBareServer` adds. */
export const BARE_DELIVERED = `${BARE_SERVER}, by device_id: delivered`;

/** @returns calls with these bodies; the server does not authenticate callers */
export function callsToBare({ url }: BareServer, bodies: Bodies): Omit<Calls, 'seconds'> {
  return { url, authorization: '', bodies };
}

/** Calls the server until V8 has compiled the code and Postgres has statistics. */
export async function warmUpBare(
  context: BenchContext,
  bare: BareServer,
  calls: Omit<Calls, 'seconds'>,
): Promise<void> {
  const limits = { seconds: WARM_UP_SECONDS_MAX, callsMax: WARM_UP_CALLS };
  const caller = await startCaller(context, { ...calls, ...limits });
  await caller.recorded;
  await bare.untilStored();
  await bare.analyze();
}

/** Adds how many pushes per second it delivers over 32 connections, and the cost of one. */
export async function measureBareServer(
  context: BenchContext,
  { database, app, bodies }: { database: BenchDatabase; app: BenchApp; bodies: Bodies },
): Promise<void> {
  const bare = await startBareServer(context, { database, app, everyMs: 0 });
  const calls = callsToBare(bare, bodies);
  await warmUpBare(context, bare, calls);
  await database.sql.query('checkpoint');
  await context.sink.reset();
  const called = { processes: [{ name: BARE_SERVER, pid: bare.pid }] };
  const run = await runCalls(
    context,
    { database, called },
    { ...calls, seconds: context.seconds },
    async () => bare.untilStored(),
  );
  const seconds = (Date.now() - run.firstMs) / 1_000;
  const { received } = await context.sink.count();
  if (received !== run.accepted)
    throw new Error(`a bare server accepted ${run.accepted} pushes, and sent ${received}`);
  context.figures.add(BARE_DELIVERED, run.accepted / seconds, 'pushes/s');
  addCosts(context, `${BARE_SERVER}, by device_id`, run);
  await bare.stop();
}
