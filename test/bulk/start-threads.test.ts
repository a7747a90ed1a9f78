/** How many bulk threads a process has, and how its jobs are shared out among them. */
import { expect, test } from 'vitest';
import { defaultThreads, shareOut } from '../../src/bulk/start-threads.ts';
import type { DeliverJob, JobResult } from '../../src/queue/job.ts';

const MIB = 1024 * 1024;

test.each([
  [1, Infinity, 1],
  [2, Infinity, 2],
  [8, Infinity, 8],
  [64, Infinity, 8],
  [2, 512 * MIB, 1],
  [2, 256 * MIB, 1],
  [8, 2_048 * MIB, 4],
])('a process on %i cores with %d bytes of memory has %i bulk threads', (cores, bytes, threads) => {
  expect(defaultThreads(cores, bytes)).toBe(threads);
});

test('the thread that has the fewest jobs gets the next one, also after a job that failed', async () => {
  const running: PromiseWithResolvers<JobResult>[][] = [[], [], []];
  const deliver = shareOut(
    running.map((jobs) => ({
      deliver: async () => {
        const job = Promise.withResolvers<JobResult>();
        jobs.push(job);
        return job.promise;
      },
    })),
  );
  const job: DeliverJob = {
    lane: 'bulk',
    kind: 'deliver',
    appId: 'a',
    notificationId: 'n',
    requestId: 'r',
    number: 0,
  };
  const start = async (): Promise<JobResult> => deliver(job, new AbortController().signal, () => undefined);
  const counts = (): number[] => running.map((jobs) => jobs.length);
  const [, second] = Array.from({ length: 6 }, () => start());
  expect(counts()).toEqual([2, 2, 2]);
  running[1]?.[0]?.reject(new Error('the database is away'));
  await expect(second).rejects.toThrow('the database is away');
  void start();
  expect(counts()).toEqual([2, 3, 2]);
});
