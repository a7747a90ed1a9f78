import { readdir, readFile } from 'node:fs/promises';

/** @param field `VmRSS`: resident memory now; `VmHWM`: its maximum. Linux only */
export async function residentMiB(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  return (await readKib(`/proc/${pid}/status`, field)) / 1_024;
}

/**
 * The memory of a process and its children, in which pages that several of them use count once, such as the buffers of
 * Postgres. Linux only.
 */
export async function familyMiB(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map(async (thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8')),
  );
  const pids = [pid, ...lists.join(' ').split(' ').filter(Boolean).map(Number)];
  // A process may end meanwhile.
  const kib = await Promise.all(
    pids.map(async (one) => readKib(`/proc/${one}/smaps_rollup`, 'Pss').catch(() => 0)),
  );
  return kib.reduce((sum, one) => sum + one, 0) / 1_024;
}

async function readKib(file: string, field: string): Promise<number> {
  const status = await readFile(file, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib);
}
