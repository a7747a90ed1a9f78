/** Reads the processor time of processes from Linux's `/proc`. */
import { readdir, readFile } from 'node:fs/promises';

/** The unit of `/proc`. */
const TICK_MS = 10;

interface ProcessTimes {
  parentPid: number;
  ownMs: number;
  /** Of its finished children. */
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

export async function parentOf(pid: number): Promise<number> {
  const times = await readTimes(pid);
  if (times === undefined) throw new Error('the process has ended');
  return times.parentPid;
}

/** Undefined for a process that has ended. */
async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The program's name, in brackets, may contain anything: fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (...places: readonly number[]): number =>
    places.reduce((sum, place) => sum + Number(fields[place]) * TICK_MS, 0);
  return { parentPid: Number(fields[1]), ownMs: ms(11, 12), endedMs: ms(13, 14) };
}
