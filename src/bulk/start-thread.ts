/**
 * Starts a thread that sends bulk notifications. They have threads of their own because thousands of pushes per second make
 * each turn of its event loop long, and a single push needs about eight turns (docs/decisions/0012). This file runs in
 * the first thread: it sends the jobs of the bulk lane to the bulk thread, and gets their results.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Counts } from '../metrics/metrics.ts';
import type { Observe } from '../observe.ts';
import type { DeliverJob, JobHandler, JobResult } from '../queue/job.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

export interface BulkThread {
  /** Runs a job in the bulk thread. */
  deliver: JobHandler<DeliverJob>;
  /** Reads the thread's metrics. Limit the wait, because a thread that hangs or has ended does not answer. */
  readCounts(): Promise<Counts>;
  /** Call it when no job is running. */
  close(): Promise<void>;
}

/**
 * Nearly all memory of a push becomes garbage at once. Without a limit V8's young generation grows to 105 MB in a long
 * bulk notification (docs/decisions/0012).
 */
const YOUNG_GENERATION_MB_MAX = 96;

/**
 * Starts the thread. An uncaught error in it ends the process, as it would in the first thread.
 * @param log gets those observations of the thread that are to be logged; the thread counts all of them for the metrics
 * @throws the error that kept the thread from starting
 */
export async function startBulkThread(data: ThreadData, log: Observe): Promise<BulkThread> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX },
    name: 'bulk',
  });
  const say = (message: ToThread): void => thread.postMessage(message);
  const ready = Promise.withResolvers<void>();
  const runs = new Map<number, { giveWay: () => void; end: (result: JobResult) => void }>();
  let lastRun = 0;
  let isReady = false;
  let isClosing = false;
  let reading: PromiseWithResolvers<Counts> | undefined;

  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'ready':
        return ready.resolve();
      case 'gave_way':
        return runs.get(message.run)?.giveWay();
      case 'ran':
        runs.get(message.run)?.end(message.result);
        return void runs.delete(message.run);
      case 'logged':
        return log(message.observation);
      case 'counts':
        reading?.resolve(message.counts);
        reading = undefined;
        return undefined;
    }
  });
  const endProcess = (error: unknown): void => {
    if (isReady) throw error;
    ready.reject(error);
  };
  thread.on('error', endProcess);
  thread.on('exit', () => {
    if (!isClosing) endProcess(new Error('the bulk thread has ended'));
  });
  await ready.promise;
  isReady = true;

  return {
    deliver: async (job, signal, giveWay) => {
      const run = (lastRun += 1);
      const { promise, resolve: end } = Promise.withResolvers<JobResult>();
      const stop = (): void => say({ kind: 'stop', run });
      runs.set(run, { giveWay, end });
      say({ kind: 'deliver', run, job });
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
      return promise.finally(() => signal.removeEventListener('abort', stop));
    },
    async readCounts() {
      if (reading === undefined) {
        reading = Promise.withResolvers();
        say({ kind: 'read_counts' });
      }
      return reading.promise;
    },
    async close() {
      isClosing = true;
      const exited = once(thread, 'exit');
      say({ kind: 'close' });
      await exited;
    },
  };
}
