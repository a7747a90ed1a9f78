/** How the jobs of a process are shared out among its bulk threads. */
import { expect, test } from 'vitest';
import { shareOut } from '../../src/bulk/start-threads.ts';
import type { DeliverJob, JobResult } from '../../src/queue/job.ts';

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
