/** Measures which processes use the processor, and how much. Linux only. */
import { familyMs, threadsMs } from './processor-time.ts';

export interface WatchedProcess {
  name: string;
  /** Its children count too. */
  pid: number;
  /** Whether it is one of our servers, whose threads are measured apart. */
  hasThreads?: boolean;
}

/** The kernel keeps 15 characters of a name. */
const FIRST_THREAD = 'MainThread';
const BULK_THREAD = 'bulk';

/** @returns a function that returns the milliseconds used since, by process or thread */
export async function watchProcessors(
  processes: readonly WatchedProcess[],
): Promise<() => Promise<Map<string, number>>> {
  const before = await readAll(processes);
  return async () => {
    const now = await readAll(processes);
    return new Map([...now].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
  };
}

async function readAll(processes: readonly WatchedProcess[]): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const { name, pid, hasThreads = false } of processes) {
    const all = await familyMs(pid);
    if (!hasThreads) {
      used.set(name, all);
      continue;
    }
    const threads = await threadsMs(pid);
    const first = threads.get(FIRST_THREAD) ?? 0;
    const bulk = threads.get(BULK_THREAD) ?? 0;
    used.set(`${name}, first thread`, first);
    if (bulk > 0) used.set(`${name}, bulk threads`, bulk);
    // Garbage collection, compilation, file access. Threads that have ended are included.
    used.set(`${name}, other threads`, all - first - bulk);
  }
  return used;
}
