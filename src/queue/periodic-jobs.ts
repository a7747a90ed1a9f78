/**
 * Runs periodic jobs: with Redis, one process at a time by its schedule; without Redis, or while it is away, every
 * process on timers of its own.
 */
import { databaseError } from '../db/database-error.ts';
import type { Observe } from '../observe.ts';
import { type PeriodicJob, startPeriodically } from '../scheduling/periodically.ts';
import type { RedisQueue } from './bullmq-queue.ts';

/** Runs each job now and at its interval until closed. */
export function startPeriodicJobs(
  jobs: readonly PeriodicJob[],
  observe: Observe,
  redis?: Pick<RedisQueue, 'isAway' | 'schedule'>,
): { close(): Promise<void> } {
  const running = new Set<string>();

  /** Never rejects: a failure is observed under the name of the job, which runs again when it is next due. */
  async function run(job: PeriodicJob, stop: AbortSignal): Promise<void> {
    if (running.has(job.name)) return; // its last run in this process is still in progress
    running.add(job.name);
    try {
      await job.run(stop);
    } catch (error) {
      observe(databaseError(error, job.name));
    } finally {
      running.delete(job.name);
    }
  }

  const timers = jobs.map((job) =>
    startPeriodically(job.everyMs, async (stop) => {
      if (redis === undefined || redis.isAway) await run(job, stop);
    }),
  );
  const schedule = redis?.schedule(jobs, run);
  return {
    async close() {
      await Promise.all([...timers, schedule].map(async (runner) => runner?.close()));
    },
  };
}
