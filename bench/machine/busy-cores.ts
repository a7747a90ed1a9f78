import { cpus } from 'node:os';

/** @returns a function that returns how many of the machine's cores were busy since, on average */
export function watchCores(): () => number {
  const before = readTimes();
  return () => {
    const now = readTimes();
    return ((now.busy - before.busy) / (now.all - before.all)) * cpus().length;
  };
}

function readTimes(): { busy: number; all: number } {
  const times = cpus().map((core) => core.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}
