/**
 * Runs the jobs of one lane. The BullMQ job lasts as long as its run holds a slot: a run that gives way ends its job,
 * so that BullMQ fetches another, and continues in this process.
 */
import type { Job as BullJob } from 'bullmq';
import { z } from 'zod';
import type { Observe } from '../observe.ts';
import { pause } from '../scheduling/periodically.ts';
import { startBullWorker } from './bullmq-worker.ts';
import {
  type DeliverJob,
  DRAIN_EVERY_MS,
  type DrainJob,
  drainJob,
  type Job,
  type JobHandler,
  type JobResult,
  type QueueLane,
  runJob,
} from './job.ts';
import type { Queue, Worker } from './queue.ts';
import { type RedisOutage, UnreadableJob } from './redis-errors.ts';
import { JOBS_PER_SLOT_MAX, Slots } from './slots.ts';

/** A job in Redis may have been written by a process of another version. */
const deliverSchema = z.object({
  appId: z.string(),
  notificationId: z.string(),
  requestId: z.string(),
  number: z.number(),
}) satisfies z.ZodType<Omit<DeliverJob, 'lane' | 'kind'>>;

export interface BullLaneOptions {
  redisUrl: string;
  lane: QueueLane;
  slots: Slots;
  lockMs: number;
  observe: Observe;
  errors: RedisOutage;
  handler: JobHandler;
  add: Queue['add'];
}

export function openBullLane(options: BullLaneOptions): Worker {
  const { redisUrl, lane, slots, lockMs, observe, errors, handler, add } = options;
  /** Runs that have given way and whose BullMQ job has ended. */
  const tails = new Set<Promise<unknown>>();
  const tailSlots = new Slots(slots.count * (JOBS_PER_SLOT_MAX - 1));
  /** When the latest drain ended (monotonic). */
  let drainedAtMs = Number.NEGATIVE_INFINITY;

  async function process(bullJob: BullJob, stop: AbortSignal): Promise<void> {
    const job = readJob(bullJob);
    if (job?.kind === 'drain') await drain(job, stop);
    else if (job !== undefined) await deliver(job, stop);
  }

  async function drain(job: DrainJob, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return queueAgain(job);
    const startedMs = performance.now();
    const isBusy = startedMs - drainedAtMs < DRAIN_EVERY_MS;
    const result = await run(job, stop, () => undefined);
    // While pushes come one after another, the next drain is added before this job ends. The script that ends a job
    // fetches the next one, which costs half as many commands as waiting for each job.
    const leftMs = startedMs + DRAIN_EVERY_MS - performance.now();
    if (isBusy && result === 'done' && leftMs > 0) await pause(leftMs, stop);
    drainedAtMs = performance.now();
    // Leaves the next job to a worker with a free slot.
    if (!slots.isFree) worker.hold(slots.whenFree(stop));
    return undefined;
  }

  async function deliver(job: DeliverJob, stop: AbortSignal): Promise<void> {
    // The queue inside the process, which stands in while Redis is away, takes from the same slots.
    const slot = await slots.takeWhenFree(stop);
    if (slot === undefined) {
      await queueAgain(job);
      return;
    }
    const ended = new AbortController();
    const running = run(job, stop, slot.giveWay).finally(() => {
      ended.abort();
      slot.leave();
    });
    await slot.whenFreed();
    const tailSlot = await tailSlots.takeWhenFree(ended.signal);
    if (tailSlot === undefined) {
      await running;
      return;
    }
    const tail: Promise<unknown> = running.finally(() => {
      tails.delete(tail);
      tailSlot.leave();
    });
    tails.add(tail);
  }

  async function run(job: Job, stop: AbortSignal, giveWay: () => void): Promise<JobResult> {
    const result = await runJob(job, handler, { signal: stop, giveWay }, observe);
    // Before its BullMQ job ends, which then queues it.
    if (result === 'again') await queueAgain(job);
    return result;
  }

  async function queueAgain(job: Job): Promise<void> {
    await add([job]).catch(errors.report);
  }

  function readJob({ name, data }: BullJob): Job | undefined {
    if (lane === 'direct' && name === drainJob.kind) return drainJob;
    const read = deliverSchema.safeParse(data);
    if (lane === 'bulk' && read.success) return { lane, kind: 'deliver', ...read.data };
    const text = JSON.stringify({ name, data }).slice(0, 200);
    errors.report(new UnreadableJob(`ignored an unreadable job in Redis: ${text}`));
    return undefined;
  }

  const worker = startBullWorker({
    redisUrl,
    name: lane,
    // The direct lane has one job at a time; a higher concurrency would cost a command to look for another.
    concurrency: lane === 'direct' ? 1 : slots.count,
    lockMs,
    errors,
    process,
  });
  return {
    close: async () => {
      await worker.close();
      await Promise.all(tails);
    },
  };
}
