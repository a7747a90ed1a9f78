/**
 * Periodic jobs by BullMQ job schedulers: at each interval one of the processes runs the job. A run that lasts longer
 * than its interval does not delay the next, which another process may run at the same time.
 */
import type { Job as BullJob, Queue as BullQueue } from 'bullmq';
import type { Clock } from '../clock.ts';
import { type PeriodicJob, startPeriodically } from '../scheduling/periodically.ts';
import { startBullWorker } from './bullmq-worker.ts';
import type { RedisOutage } from './redis-errors.ts';

/** Redis may be emptied while we run; this is how soon the schedulers are restored. */
const CHECK_EVERY_MS = 2_000;
/**
 * A worker takes a run from Redis, and queues the next with a second command. If it dies in between, the schedule would stand
 * still until the lock of that run has expired and BullMQ has noticed: up to 15 seconds without a sweep. It would also stand still if
 * the clock of the process that queued the next was ahead, until the others' clocks have come to that time.
 */
const AMISS_MS = 2_000;

export interface BullScheduleOptions {
  redisUrl: string;
  queue: BullQueue;
  /** Runs a command of `queue` in bounded time. */
  ask: <T>(command: () => Promise<T>) => Promise<T>;
  lockMs: number;
  clock: Clock;
  errors: RedisOutage;
  jobs: readonly PeriodicJob[];
  run: (job: PeriodicJob, stop: AbortSignal) => Promise<void>;
}

export function startBullSchedule(options: BullScheduleOptions): { close(): Promise<void> } {
  const { redisUrl, queue, ask, lockMs, clock, errors, jobs, run } = options;
  const byName = new Map(jobs.map((job) => [job.name, job]));
  let isFirst = true;

  async function process({ name }: BullJob, stop: AbortSignal): Promise<void> {
    const job = byName.get(name);
    if (job !== undefined) await run(job, stop);
  }

  /**
   * Sets the schedulers: all at the start, because intervals may have changed since the previous release; later only
   * missing ones, and those whose next run is overdue or too far away. A scheduler that is overdue only because workers are busy
   * gets the same run again.
   */
  async function upsert(): Promise<void> {
    if (errors.isAway) return;
    try {
      const found = isFirst ? [] : await ask(async () => queue.getJobSchedulers());
      const nowMs = clock().getTime();
      for (const { name, everyMs } of jobs) {
        const nextMs = found.find(({ key }) => key === name)?.next ?? -Infinity;
        const isTooFar = nextMs > nowMs + everyMs + AMISS_MS;
        if (nextMs > nowMs - AMISS_MS && !isTooFar) continue;
        // BullMQ would keep a run in the future.
        if (isTooFar) await ask(async () => queue.removeJobScheduler(name));
        await ask(async () => queue.upsertJobScheduler(name, { every: everyMs }, { name }));
      }
      isFirst = false;
    } catch (error) {
      errors.report(error);
    }
  }

  const worker = startBullWorker({
    redisUrl,
    name: queue.name,
    concurrency: jobs.length,
    lockMs,
    errors,
    process,
  });
  const checking = startPeriodically(CHECK_EVERY_MS, upsert);
  return {
    close: async () => {
      await Promise.all([worker.close(), checking.close()]);
    },
  };
}
