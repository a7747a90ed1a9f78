/** The jobs of both queues: a job wakes a worker and carries no work. */
import { conditionOf, databaseError } from '../db/database-error.ts';
import { withoutValues } from '../db/loggable-error.ts';
import type { Observation, Observe, OfNotification } from '../observe.ts';

/** `direct` for what a person waits for, `bulk` for bulk notifications; each lane has slots of its own. */
export type QueueLane = 'direct' | 'bulk';
export const queueLanes = ['direct', 'bulk'] as const satisfies readonly QueueLane[];

/** Something is due: look in Postgres. One job for the whole lane, however much is due. It holds no slot itself. */
export interface DrainJob {
  lane: 'direct';
  kind: 'drain';
}

/** A bulk notification has slices that nobody works on. */
export interface DeliverJob {
  lane: 'bulk';
  kind: 'deliver';
  appId: string;
  notificationId: string;
  /** Id of the request that created the notification, for the log: a job may fail before it reads the row. */
  requestId: string;
  /** From 0: a notification has several jobs at once. */
  number: number;
}

export type Job = DrainJob | DeliverJob;

export const drainJob: DrainJob = { lane: 'direct', kind: 'drain' };

/**
 * While pushes come one after another, a process waits this long before it adds another drain, and a worker before it
 * begins another. So each drain starts more pushes, and its cost (three statements, and 0.2 ms of processor time in the
 * API and Redis) is paid less often. A lone push does not wait.
 */
export const DRAIN_EVERY_MS = 10;

/**
 * The most jobs of one notification: each keeps one slice going, in any worker, and then queues again at the back of
 * its lane. So notifications take turns whatever their size.
 */
export const DELIVER_JOBS_MAX = 16;

/** The jobs that start the slices of a bulk notification. */
export function deliverJobs(
  notification: Omit<DeliverJob, 'lane' | 'kind' | 'number'>,
  slices: number,
): DeliverJob[] {
  return Array.from({ length: Math.min(slices, DELIVER_JOBS_MAX) }, (_, number) => ({
    lane: 'bulk',
    kind: 'deliver',
    ...notification,
    number,
  }));
}

/** Equal jobs have the same key. */
export function jobKey(job: Job): string {
  return job.kind === 'drain' ? job.kind : `${job.appId}/${job.notificationId}/${job.number}`;
}

/** `again`: queue it once more, at the back of the lane, so that notifications take turns. */
export type JobResult = 'done' | 'again';

/**
 * May run twice, even at the same time.
 * @param signal aborted when the worker is to stop
 * @param giveWay the rest of the job is waiting: another may start in its slot, within bounds
 */
export type JobHandler<J extends Job = Job> = (
  job: J,
  signal: AbortSignal,
  giveWay: () => void,
) => Promise<JobResult>;

/** Runs the handler. An error of a job is logged and ends the job; the sweep finds its remaining work. */
export async function runJob<J extends Job>(
  job: J,
  handler: JobHandler<J>,
  { signal, giveWay }: { signal: AbortSignal; giveWay: () => void },
  observe: Observe,
): Promise<JobResult> {
  try {
    return await handler(job, signal, giveWay);
  } catch (error) {
    observe(job.kind === 'drain' ? databaseError(error, job.kind) : jobFailed(job.kind, job, error));
    return 'done';
  }
}

/** @param job the step that failed, for the log */
export function jobFailed(
  job: string,
  { notificationId, requestId }: OfNotification,
  thrown: unknown,
): Extract<Observation, { kind: 'job_failed' }> {
  const error =
    thrown instanceof Error
      ? withoutValues(thrown)
      : new Error('The handler threw no Error', { cause: thrown });
  const condition = conditionOf(thrown);
  return {
    kind: 'job_failed',
    job,
    notificationId,
    requestId,
    error,
    ...(condition !== undefined && { condition }),
  };
}
