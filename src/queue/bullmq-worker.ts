/** A BullMQ worker with connections of its own, that reports its errors without flooding and closes in bounded time. */
import { type Job as BullJob, Worker as BullWorker, type WorkerOptions } from 'bullmq';
import { pause } from '../scheduling/periodically.ts';
import { withinTime } from '../scheduling/time-limit.ts';
import { openRedis } from './redis.ts';
import type { RedisOutage } from './redis-errors.ts';

/** The braces put all keys into one slot of a cluster, as BullMQ's scripts need. */
export const BULL_PREFIX = '{carillon}';
/** Longer than BullMQ lets Redis block, which is 10 seconds. A connection that is silent for this long is dead. */
const SILENCE_MS_MAX = 15_000;
/** BullMQ asks again at once after an error answer; this is the pause before that. */
const RETRY_AFTER_MS = 1_000;
/** On shutdown: time for Redis to answer at all. */
const PING_TIMEOUT_MS = 1_000;
/** On shutdown: time for Redis to accept the last completions. */
const CLOSE_TIMEOUT_MS = 3_000;

export interface BullWorkerOptions {
  redisUrl: string;
  name: string;
  concurrency: number;
  /** Milliseconds after which another worker may run a job of one that died. */
  lockMs: number;
  errors: RedisOutage;
  /** Runs a job; never rejects, and ends soon once `stop` is aborted. */
  process: (job: BullJob, stop: AbortSignal) => Promise<void>;
}

export function startBullWorker(options: BullWorkerOptions) {
  const { redisUrl, name, concurrency, lockMs, errors, process } = options;
  const redis = openRedis({ url: redisUrl, errors, commandTimeoutMs: null, silenceMsMax: SILENCE_MS_MAX });
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let isHeld = false;

  const bullOptions: WorkerOptions = {
    connection: redis.client,
    prefix: BULL_PREFIX,
    concurrency,
    skipVersionCheck: true,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    runRetryDelay: RETRY_AFTER_MS,
  };
  const worker = new BullWorker(
    name,
    async (job) => {
      const run: Promise<void> = process(job, stop.signal).finally(() => running.delete(run));
      running.add(run);
      await run;
    },
    bullOptions,
  );
  worker.on('error', (error) => {
    // Connections report their own errors. BullMQ's own are about jobs that Redis lost or another worker took over.
    if (error.name !== 'ReplyError') return;
    errors.report(error);
    hold(pause(RETRY_AFTER_MS, stop.signal));
  });

  /** Takes no further job until `until` resolves. */
  function hold(until: Promise<void>): void {
    if (isHeld || stop.signal.aborted) return;
    isHeld = true;
    worker.pause(true).catch(errors.report);
    resumeAfter(until).catch(errors.report);
  }

  async function resumeAfter(until: Promise<void>): Promise<void> {
    await until;
    isHeld = false;
    if (!stop.signal.aborted) await worker.resume();
  }

  /** Whether Redis answers now. Without Redis, BullMQ would wait forever for its connections to end. */
  async function isThere(): Promise<boolean> {
    if (errors.isAway) return false;
    return withinTime(PING_TIMEOUT_MS, redis.client.ping()).then(
      () => true,
      () => false,
    );
  }

  /** Takes no further job, aborts the signal, and waits for running jobs. */
  async function close(): Promise<void> {
    stop.abort();
    // Before the jobs end, or BullMQ would fetch others in their place.
    worker.pause(true).catch(errors.report);
    const closing = worker.close(!(await isThere())).catch(errors.report);
    await Promise.all(running);
    await withinTime(CLOSE_TIMEOUT_MS, closing).catch(() => undefined);
    redis.close();
  }
  let closing: Promise<void> | undefined;
  return { hold, close: async () => (closing ??= close()) };
}
