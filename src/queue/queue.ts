/**
 * Wakes workers. Postgres is the truth: a job that is lost is found again by the sweep, and a job that runs twice does
 * no harm.
 */
import type { Job, JobHandler, QueueLane } from './job.ts';
import type { Slots } from './slots.ts';

export interface WorkOptions {
  /** A job starts only while its lane has a free slot; a job of the bulk lane holds one while it runs. */
  slots: Readonly<Record<QueueLane, Slots>>;
}

export interface Worker {
  /** Takes no further job, aborts the signal of running jobs, and waits for them. */
  close(): Promise<void>;
}

export interface Queue {
  /**
   * A job that is equal to a waiting one is not added. One that is equal to a running one runs once more afterwards,
   * however often it is added.
   * @throws in bounded time if the queue is unreachable: the job is lost, and the sweep finds its work
   */
  add(jobs: readonly Job[]): Promise<void>;
  work(handler: JobHandler, options: WorkOptions): Worker;
  /** Jobs waiting, by lane. */
  depth(): Promise<Record<QueueLane, number>>;
  /** Resolves when the queue can take jobs; rejects within `timeoutMs` when it cannot. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}
