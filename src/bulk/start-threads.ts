/** Starts the bulk threads of a process and shares its jobs out among them. */
import { availableParallelism } from 'node:os';
import { type SharedByThreads, makeSharedByThreads } from '../delivery/shared-by-threads.ts';
import { countOf, unsavedCounters } from '../delivery/outcomes/unsaved-outcomes.ts';
import type { Counts } from '../metrics/metrics.ts';
import type { Observe } from '../observe.ts';
import type { Config } from '../process/config.ts';
import { containerBytes } from '../process/container-memory.ts';
import type { DeliverJob, JobHandler } from '../queue/job.ts';
import { type BulkThread, startBulkThread } from './start-thread.ts';

export interface BulkThreads {
  readonly count: number;
  readonly shared: SharedByThreads;
  /** Runs a job in the thread that has the fewest. */
  deliver: JobHandler<DeliverJob>;
  /** Reads the metrics of all threads. Limit the wait, because a thread that hangs does not answer. */
  readCounts(): Promise<Counts[]>;
  /** Outcomes of pushes that the database does not have yet. */
  unsaved(): number;
  /** Call it when no job is running. */
  close(): Promise<void>;
}

/** More were not tried; on so many cores, several processes are started anyway, so that one may fail. */
const DEFAULT_MAX = 8;
/** What a process with one thread is advised to have. Another one takes a quarter of it. */
const BYTES_EACH = 512 * 1024 * 1024;

/** @returns one thread for each core that the process may use, as far as the memory of the container allows */
export function defaultThreads(cores = availableParallelism(), bytes = containerBytes()): number {
  return Math.max(1, Math.min(cores, DEFAULT_MAX, Math.floor(bytes / BYTES_EACH)));
}

/** @throws the error that kept a thread from starting; the others are closed then */
export async function startBulkThreads(
  config: Config,
  databaseUrl: string,
  log: Observe,
): Promise<BulkThreads> {
  const count = config.bulkThreads ?? defaultThreads();
  const shared = makeSharedByThreads();
  const counters = Array.from({ length: count }, () => unsavedCounters());
  const starting = counters.map(async (unsaved) =>
    startBulkThread({ config, databaseUrl, unsaved, shared, threads: count }, log),
  );
  const started = await Promise.allSettled(starting);
  const threads = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  const close = async (): Promise<void> => {
    await Promise.all(threads.map(async (thread) => thread.close()));
  };
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  return {
    count,
    shared,
    deliver: shareOut(threads),
    readCounts: async () => Promise.all(threads.map(async (thread) => thread.readCounts())),
    unsaved: () => counters.reduce((sum, one) => sum + countOf(one), 0),
    close,
  };
}

/** @returns a handler that gives each job to the thread with the fewest */
export function shareOut(threads: readonly Pick<BulkThread, 'deliver'>[]): JobHandler<DeliverJob> {
  const all = threads.map((thread) => ({ thread, jobs: 0 }));
  return async (...job) => {
    const to = all.reduce((fewest, one) => (one.jobs < fewest.jobs ? one : fewest));
    to.jobs += 1;
    try {
      return await to.thread.deliver(...job);
    } finally {
      to.jobs -= 1;
    }
  };
}
