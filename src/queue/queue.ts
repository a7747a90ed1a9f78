/**
 * The doorbell: tells a worker "look at this notification now". Postgres is the truth; a job that is lost is
 * rung again by `delivery/recover`, a job that runs twice does no harm.
 */

/** `direct` for what a person waits for, `bulk` for broadcasts; each lane has workers of its own. */
export type QueueLane = 'direct' | 'bulk';

export interface Job {
  lane: QueueLane;
  kind: 'plan' | 'deliver';
  appId: string;
  notificationId: string;
  /** Of the request that created the notification, for the log: a job that fails may not get to read the row. */
  requestId: string;
  /** Tells apart the several bells that one notification may ring at once; equal jobs wait only once. */
  bell: number;
}

/** `again`: ring once more, at the back of the lane, so that notifications take turns. */
export type JobResult = 'done' | 'again';

/**
 * Must bear to run twice, also at the same time.
 * @param signal aborted when the worker is to stop
 * @param giveWay what is left of the job is waiting: another may begin in its place, within bounds
 */
export type JobHandler = (job: Job, signal: AbortSignal, giveWay: () => void) => Promise<JobResult>;

export interface WorkOptions {
  /** How many jobs of each lane run at once in this process, those aside that have given way (`places.ts`). */
  concurrency: Readonly<Record<QueueLane, number>>;
}

export interface Worker {
  /** Takes no further job, aborts the signal of those that run, waits for them. */
  close(): Promise<void>;
}

export interface Queue {
  /**
   * A job that is equal to one still waiting is not added a second time. One that is equal to a running one makes
   * it run once more, however often it is added: afterwards, unless it is another process that gets to run it.
   * @throws in bounded time where the queue is out of reach: the ring is lost, and `delivery/recover` rings again
   */
  add(jobs: readonly Job[]): Promise<void>;
  work(handler: JobHandler, options: WorkOptions): Worker;
  /** Jobs waiting, by lane. */
  depth(): Promise<Record<QueueLane, number>>;
  /** Resolves when the queue can take jobs; rejects within `timeoutMs` when it cannot. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
