/** One run of calls, with everything that is measured around it. */
import { z } from 'zod';
import { postgresPid } from '../machine/processor-time.ts';
import { type WatchedProcess, watchProcessors } from '../machine/processor-watch.ts';
import type { Carillon } from '../support/carillon.ts';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { type Caller, type Calls, startCaller } from './caller.ts';
import type { LastAnswer } from './caller-messages.ts';

export interface Servers {
  database: BenchDatabase;
  carillon: Carillon;
}

/** The servers whose processor time is measured. */
interface WatchedServers {
  database: BenchDatabase;
  /** The server that is called: Carillon, or a baseline. */
  called: Pick<Carillon, 'processes'>;
}

export interface CallRun extends LastAnswer {
  caller: Caller;
  callsPerSecond: number;
  /** Processor time per accepted call, by process or thread; empty where it cannot be read. */
  microseconds: Map<string, number>;
  /** Bytes that Postgres wrote to its write-ahead log, per accepted call. */
  logBytes: number;
}

/**
 * @param afterLastAnswer runs when the last call is answered; processor time counts until it resolves
 */
export async function runCalls(
  context: BenchContext,
  { database, called }: WatchedServers,
  calls: Calls,
  afterLastAnswer: () => Promise<void> = async () => undefined,
): Promise<CallRun> {
  const logBefore = await logPosition(database);
  const used = await watchProcessors(await watched(context, { database, called }));
  const caller = await startCaller(context, calls);
  const last = await caller.lastAnswer;
  await afterLastAnswer();
  const usedMs = await used();
  const logged = (await logPosition(database)) - logBefore;
  await caller.recorded;
  if (last.refused > 0)
    context.figures.note(`${last.refused} of ${last.begun} calls were refused (429 or 503).`);
  if (last.accepted === 0) throw new Error('no call was accepted');
  const microseconds = new Map([['caller', last.processorMicroseconds / last.accepted]]);
  for (const [name, ms] of usedMs) microseconds.set(name, (ms * 1_000) / last.accepted);
  const callsPerSecond = (last.accepted * 1_000) / (last.lastMs - last.firstMs);
  return { ...last, caller, callsPerSecond, microseconds, logBytes: logged / last.accepted };
}

/** The bytes of the write-ahead log so far. */
export async function logPosition({ readOne }: BenchDatabase): Promise<number> {
  const row = z.object({ bytes: z.coerce.number() });
  return (await readOne(row, `select pg_current_wal_insert_lsn() - '0/0' as bytes`)).bytes;
}

/** Adds a figure per process and their sum, and the write-ahead log. */
export function addCosts(
  { figures }: BenchContext,
  label: string,
  { microseconds, logBytes }: CallRun,
): void {
  figures.add(`${label}: write-ahead log`, logBytes, 'B');
  if (process.platform !== 'linux') {
    figures.note('The processor time of the servers is read from /proc, which only Linux has.');
    return;
  }
  const add = (name: string, value: number): void =>
    figures.add(`${label}: processor time, ${name}`, value, 'µs');
  for (const [name, value] of microseconds) add(name, value);
  add(
    'all',
    [...microseconds.values()].reduce((sum, value) => sum + value, 0),
  );
}

async function watched(
  { sink, redis }: BenchContext,
  { database, called }: WatchedServers,
): Promise<WatchedProcess[]> {
  if (process.platform !== 'linux') return [];
  const databasePid = await postgresPid(database);
  return [
    ...called.processes.map(({ name, pid }) => ({ name, pid, hasThreads: true })),
    ...(databasePid === undefined ? [] : [{ name: 'Postgres', pid: databasePid }]),
    { name: sink.name, pid: sink.pid },
    ...(redis === undefined || called.processes.length === 1 ? [] : [{ name: 'Redis', pid: redis.pid }]),
  ];
}
