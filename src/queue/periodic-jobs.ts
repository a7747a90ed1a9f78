/** Runs periodic jobs: without Redis on timers of this process. */
import { databaseError } from '../db/database-error.ts';
import type { Observe } from '../observe.ts';
import { type PeriodicJob, startPeriodically } from '../periodically.ts';

/** Runs each job now and at its interval until closed. */
export function startPeriodicTimers(
  jobs: readonly PeriodicJob[],
  observe: Observe,
): { close(): Promise<void> } {
  const timers = jobs.map((job) =>
    startPeriodically(job.everyMs, async (stop) => runPeriodicJob(job, stop, observe)),
  );
  return {
    async close() {
      await Promise.all(timers.map(async (timer) => timer.close()));
    },
  };
}

/** Never rejects: a failure is observed under the name of the job, which runs again when it is next due. */
async function runPeriodicJob(
  { name, run }: PeriodicJob,
  stop: AbortSignal,
  observe: Observe,
): Promise<void> {
  try {
    await run(stop);
  } catch (error) {
    observe(databaseError(error, name));
  }
}
