/** The page of the metrics of a process, which samples its gauges when it is read. */
import { type Clock, systemClock } from '../clock.ts';
import type { Replica } from '../db/replica/replica.ts';
import { openLagStarts, readLagMs, readWaitingWaves } from '../delivery/upkeep/lag.ts';
import type { Counts, Metrics } from '../metrics/metrics.ts';
import { keptFor, openSampledGauges } from '../metrics/sampled-gauges.ts';
import type { Queue } from '../queue/queue.ts';
import type { Status } from '../status/status.ts';
import { troubleCodes } from '../status/trouble.ts';
import type { Resources } from './resources.ts';

interface Sources extends Pick<Resources, 'db' | 'poolUse'> {
  clock: Clock;
  queue: Queue;
  replica?: Replica | undefined;
  status: Status;
}

/** @param readElsewhere reads the counts of the other threads; undefined: there are none */
export function metricsPage(
  metrics: Metrics,
  { db, poolUse, clock, queue, replica, status }: Sources,
  readElsewhere: () => Promise<Counts[] | undefined>,
): { contentType: string; write: () => Promise<string> } {
  const lagStarts = openLagStarts();
  const read = openSampledGauges({
    clock: systemClock,
    queueJobs: async () => queue.depth(),
    lagMs: async () => readLagMs(db, clock(), lagStarts),
    waves: async () => readWaitingWaves(db, clock(), lagStarts.held),
    pool: poolUse,
    troubles: () => {
      const present = new Set(status.troubles().map(({ code }) => code));
      return troubleCodes.map((code) => ({ code, isPresent: present.has(code) }));
    },
    replicaLagMs: replica && (() => replica.lagMs()),
  });
  const readThreads = keptFor(readElsewhere, systemClock);
  return {
    contentType: metrics.contentType,
    write: async () => metrics.write(await read(), await readThreads()),
  };
}
