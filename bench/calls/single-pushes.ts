/** Measures runs of calls that push to one device each, from the call to the gateway's answer. */
import type { BenchApp } from '../support/app.ts';
import type { BenchContext } from '../support/context.ts';
import type { Sent } from '../support/client.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { type Caller, type Calls, startCaller } from './caller.ts';
import { countUnfinished, type Delivery, readDelivered, untilNothingIsLeft } from './deliveries.ts';
import type { CallRecord } from './records.ts';
import { type CallRun, runCalls, type Servers } from './run-calls.ts';

export interface SinglesRun extends CallRun {
  /** From the first call to the last answer of a gateway. */
  deliveredPerSecond: number;
  /** Notifications that had not ended at the last answer to a call. */
  backlog: number;
  /** From each call to the gateway's answer. */
  latenciesMs: number[];
}

/**
 * The first calls give Postgres statistics before thousands are due at once. After the last ones, V8 has compiled
 * nearly everything: after 6,000, compiling still took 20 µs per push.
 */
const WARM_UP_CALLS = [500, 5_500, 40_000];
const WARM_UP_SECONDS_MAX = 30;
/** Longer than anything that calls are made beside. */
const MEANWHILE_SECONDS_MAX = 600;

/** @throws if the sink has received more or fewer pushes than calls were accepted, or if one is not recorded as accepted */
export async function runSingles(
  context: BenchContext,
  servers: Servers & { app: BenchApp },
  calls: Calls,
): Promise<SinglesRun> {
  const { database, carillon, app } = servers;
  await context.sink.reset();
  const since = new Date();
  let backlog = 0;
  const run = await runCalls(context, { database, called: carillon }, calls, async () => {
    backlog = await countUnfinished(database, since);
    await untilNothingIsLeft(database, backlog, since);
  });
  const records = await run.caller.records();
  const deliveries = await readDelivered(database, app.id, records);
  const lastMs = deliveries.reduce((last, { answeredMs }) => Math.max(last, answeredMs), 0);
  const { received } = await context.sink.count();
  if (received !== run.accepted || records.length !== run.accepted) {
    throw new Error(
      `${run.accepted} calls were accepted, ${records.length} recorded, ${received} pushes received`,
    );
  }
  return {
    ...run,
    deliveredPerSecond: (run.accepted * 1_000) / (lastMs - run.firstMs),
    backlog,
    latenciesMs: deliveries.map(latencyMs),
  };
}

/** From the call to the gateway's answer. */
function latencyMs({ calledMs, answeredMs }: Delivery): number {
  return answeredMs - calledMs;
}

/** Makes the calls while something else is done: from before it until its end. */
export async function whileCalling<Done>(
  context: BenchContext,
  calls: Omit<Calls, 'seconds'>,
  act: () => Promise<Done>,
): Promise<{ done: Done; caller: Caller }> {
  const caller = await startCaller(context, { ...calls, seconds: MEANWHILE_SECONDS_MAX });
  await caller.started;
  const done = await act();
  await caller.end();
  return { done, caller };
}

/** @returns how long the pushes took that were called for during the bulk send (ms), from the call to the gateway's answer */
export async function latenciesDuring(
  { database, app }: { database: BenchDatabase; app: { id: string } },
  { startedMs, durationMs }: Sent,
  records: readonly CallRecord[],
): Promise<number[]> {
  const deliveries = await readDelivered(database, app.id, records);
  return deliveries
    .filter(({ calledMs }) => calledMs >= startedMs && calledMs <= startedMs + durationMs)
    .map(latencyMs);
}

/**
 * Runs the calls before the measurement: V8 compiles, connections are opened. Postgres, which plans for empty tables
 * until autovacuum has run, counts the rows.
 */
export async function warmUpSingles(
  context: BenchContext,
  servers: Servers & { app: BenchApp },
  calls: Omit<Calls, 'seconds'>,
): Promise<void> {
  await servers.carillon.warmUp(servers.app);
  for (const callsMax of WARM_UP_CALLS) {
    await runSingles(context, servers, { ...calls, seconds: WARM_UP_SECONDS_MAX, callsMax });
    await servers.database.sql.query('analyze audiences, notifications, delivery_slices');
  }
  await servers.database.sql.query('checkpoint');
}
