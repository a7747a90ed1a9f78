/** Reads the processor time of processes and threads from Linux's `/proc`. */
import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { BenchDatabase } from '../support/postgres.ts';

/** The unit of `/proc`. */
const TICK_MS = 10;

interface ProcessTimes {
  parentPid: number;
  ownMs: number;
  /** Processor time of its finished children. */
  endedMs: number;
}

/** @returns milliseconds since the start of the process, its own and those of its running and finished children */
export async function familyMs(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter((other) => Number.isInteger(other));
  const all = await Promise.all(pids.map(async (other) => ({ other, times: await readTimes(other) })));
  return all.reduce((sum, { other, times }) => {
    if (times === undefined) return sum;
    if (other === pid) return sum + times.ownMs + times.endedMs;
    return times.parentPid === pid ? sum + times.ownMs : sum;
  }, 0);
}

/** @returns milliseconds since the start of each running thread, by name; threads with the same name are added up */
export async function threadsMs(pid: number): Promise<Map<string, number>> {
  const threads = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) continue;
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    threads.set(name, (threads.get(name) ?? 0) + parseTimes(stat).ownMs);
  }
  return threads;
}

/** @returns the parent of all processes of the server; undefined if it runs on another machine */
export async function postgresPid({ readOne }: BenchDatabase): Promise<number | undefined> {
  const { pid } = await readOne(z.object({ pid: z.number() }), 'select pg_backend_pid() as pid');
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.startsWith('postgres') ? (await readTimes(pid))?.parentPid : undefined;
}

/** Undefined for a process that has ended. */
async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined ? undefined : parseTimes(stat);
}

function parseTimes(stat: string): ProcessTimes {
  // The program's name, in brackets, may contain anything: fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (...places: readonly number[]): number =>
    places.reduce((sum, place) => sum + Number(fields[place]) * TICK_MS, 0);
  return { parentPid: Number(fields[1]), ownMs: ms(11, 12), endedMs: ms(13, 14) };
}
