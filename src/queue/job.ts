/** What both queues do with a job: name it, and run its handler so that nothing is thrown at the queue. */
import { conditionOf } from '../db/database-error.ts';
import { withoutValues } from '../db/loggable-error.ts';
import type { Observe } from '../observe.ts';
import type { Job, JobHandler, JobResult, QueueLane } from './queue.ts';

export const queueLanes = ['direct', 'bulk'] as const satisfies readonly QueueLane[];

/** The same for equal jobs of a lane, different for all others. */
export function jobKey(job: Job): string {
  return `${job.kind}/${job.appId}/${job.notificationId}/${job.bell}`;
}

/** Runs the handler; what it throws is observed as `job_failed` and the job is over: the sweep rings again. */
export async function runJob(
  job: Job,
  handler: JobHandler,
  { signal, giveWay }: { signal: AbortSignal; giveWay: () => void },
  observe: Observe,
): Promise<JobResult> {
  try {
    return await handler(job, signal, giveWay);
  } catch (thrown) {
    const error =
      thrown instanceof Error
        ? withoutValues(thrown)
        : new Error('The handler threw no Error', { cause: thrown });
    const { kind, notificationId, requestId } = job;
    const condition = conditionOf(thrown);
    observe({
      kind: 'job_failed',
      job: kind,
      notificationId,
      requestId,
      error,
      ...(condition !== undefined && { condition }),
    });
    return 'done';
  }
}
