/** Measures a started peer from outside, all peers alike. Linux only. */
import { writeFile } from 'node:fs/promises';
import { familyMs } from '../machine/processor-time.ts';
import { familyMiB, residentMiB } from '../machine/resident-memory.ts';
import { onBeat } from '../support/beat.ts';
import { percentile } from '../support/statistics.ts';
import type { PeerAnswer, PeerRun } from './contract.ts';
import type { Ways } from './ways.ts';

export interface Started {
  /** Its processes. */
  pids: readonly number[];
  /** Servers that work for it, such as a database. */
  helperPids: readonly number[];
  send: (run: PeerRun) => Promise<PeerAnswer>;
  /** Of a server: pushes to one device. @returns its push token at once; `answered` when the call is answered */
  sendOne?: (number: number) => { token: string; answered: Promise<void> };
}

export interface Measured {
  pushesPerSecond: number;
  /** Processor time of a push in all of its processes and helpers. */
  microseconds: number;
  /** The most memory of its processes during the run, and that of its helpers at the end. */
  peakMiB: number;
}

/** Sets a process's `VmHWM` to what it has now (proc(5)). */
const RESET_PEAK = '5';
const SINGLE_EVERY_MS = 50;
/** A hundredth of them is one push. */
const SINGLES_MIN = 100;
const WARM_UP_SINGLES = 20;

/** @throws if a push was not accepted */
export async function measureRun(started: Started, run: PeerRun): Promise<Measured> {
  const { pids, helperPids } = started;
  const usedMs = async (): Promise<number> => sum(await Promise.all([...pids, ...helperPids].map(familyMs)));
  for (const pid of pids) await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
  const before = await usedMs();
  const { accepted, ms } = await started.send(run);
  const used = (await usedMs()) - before;
  if (accepted !== run.count) throw new Error(`${accepted} of ${run.count} pushes were accepted`);
  const peaks = await Promise.all(pids.map(async (pid) => residentMiB(pid, 'VmHWM')));
  const helpers = await Promise.all(helperPids.map(familyMiB));
  return {
    pushesPerSecond: run.count / (ms / 1_000),
    microseconds: (used * 1_000) / run.count,
    peakMiB: sum([...peaks, ...helpers]),
  };
}

/** The first push to one device may open a connection, for which it waits three round trips. */
export async function warmUpSingles({ sendOne }: Started, ways: Ways): Promise<void> {
  if (sendOne === undefined) return;
  await ways.forgetArrivals();
  for (let number = 0; number < WARM_UP_SINGLES; number++) await sendOne(number).answered;
  await ways.arrivals(WARM_UP_SINGLES);
}

/**
 * Pushes to one device every 50 ms during bulk sends that follow one another.
 * @param first the number of the first single push; no two of a phase have the same device
 * @returns the 99th percentile of the time from a call to the sink's answer (ms), and the number of calls
 */
export async function measureSingles(
  { send, sendOne }: Started,
  { ways, run, first }: { ways: Ways; run: PeerRun; first: number },
): Promise<{ p99: number; calls: number }> {
  if (sendOne === undefined) throw new Error('only a server takes single pushes');
  await ways.forgetArrivals();
  const calledMs = new Map<string, number>();
  const answered: Promise<void>[] = [];
  const sendBulk = async (): Promise<void> => {
    do await send(run);
    while (calledMs.size < SINGLES_MIN);
  };
  await onBeat(sendBulk(), SINGLE_EVERY_MS, () => {
    const atMs = Date.now();
    const one = sendOne(first + calledMs.size);
    calledMs.set(one.token, atMs);
    answered.push(one.answered);
  });
  await Promise.all(answered);
  const arrivedMs = await ways.arrivals(calledMs.size);
  const latencies = [...calledMs].map(([token, atMs]) => (arrivedMs.get(token) ?? Number.NaN) - atMs);
  return { p99: percentile(latencies, 99), calls: calledMs.size };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
