import { readFile } from 'node:fs/promises';

/** @param field `VmRSS`: resident memory now; `VmHWM`: its maximum. Linux only */
export async function residentMiB(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1_024;
}
