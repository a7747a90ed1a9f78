/** How much processor time processes have had, from Linux's `/proc`. */
import { readdir, readFile } from 'node:fs/promises';

/** Of the kernel's clock, in which `/proc` counts. */
const TICK_MS = 10;

interface ProcessTimes {
  parentPid: number;
  ownMs: number;
  /** Of its children that have ended. */
  endedMs: number;
}

/** @returns milliseconds since the process began, by itself and by its children, those that have ended included */
export async function familyMs(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter((other) => Number.isInteger(other));
  const all = await Promise.all(pids.map(async (other) => ({ other, times: await readTimes(other) })));
  return all.reduce((sum, { other, times }) => {
    if (times === undefined) return sum;
    if (other === pid) return sum + times.ownMs + times.endedMs;
    return times.parentPid === pid ? sum + times.ownMs : sum;
  }, 0);
}

export async function parentOf(pid: number): Promise<number> {
  const times = await readTimes(pid);
  if (times === undefined) throw new Error('the process has ended');
  return times.parentPid;
}

/** Undefined for one that has ended meanwhile. */
async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The program's name, in brackets, may hold anything: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (...places: readonly number[]): number =>
    places.reduce((sum, place) => sum + Number(fields[place]) * TICK_MS, 0);
  return { parentPid: Number(fields[1]), ownMs: ms(11, 12), endedMs: ms(13, 14) };
}
