/**
 * The queue of several processes: one BullMQ queue a lane, on Redis, Valkey or a cluster of them.
 *
 * Equal jobs wait only once, and a ring for a job that runs leads to exactly one more run. That is BullMQ's
 * deduplication with `keepLastIfActive`: while a job waits, is delayed or runs, its key belongs to it; an
 * equal one that is added is dropped if the owner has yet to run, and kept aside (one place, the last wins)
 * if it runs. When the owner finishes, the same script puts the one kept aside at the back of the lane. So
 * `again` is an add of the same job from within its own run: it coalesces with the rings that came meanwhile,
 * and between "finished" and "waiting again" there is no gap in which a crash could lose it. A fixed BullMQ
 * job id would not do: the id of a running job swallows every ring.
 *
 * A job of a process that died is run by another once its lock has run out, `LOCK_DURATION_MS` and one
 * `STALLED_CHECK_MS` later. Nothing that finished stays in Redis.
 */
import { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import { z } from 'zod';
import type { Observe } from '../observe.ts';
import { jobKey, queueLanes, runJob } from './job.ts';
import type { Job, JobHandler, Queue, QueueLane, Worker, WorkOptions } from './queue.ts';
import { openRedis, openRedisErrors, type RedisErrors } from './redis.ts';

/** All keys begin with it; the braces put them into one slot of a cluster, as BullMQ's scripts need. */
const PREFIX = '{carillon}';
/** A ring that takes longer is taken for lost: `delivery/recover` rings again within a second or so. */
const RING_TIMEOUT_MS = 2_000;
const LOCK_DURATION_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** How long a worker whose handlers have ended waits for Redis to take note. */
const FAREWELL_TIMEOUT_MS = 3_000;

/** What Redis hands out was written by a process of some version, not necessarily this one. */
const jobSchema = z.object({
  lane: z.enum(queueLanes),
  kind: z.enum(['plan', 'deliver']),
  appId: z.string(),
  notificationId: z.string(),
  // The previous release wrote none.
  requestId: z.string().nullable().default(null),
  bell: z.number(),
}) satisfies z.ZodType<Job>;

export interface BullmqQueueOptions {
  /** See `RedisOptions.url`. */
  redisUrl: string;
  observe: Observe;
}

/** Opens the queue; Redis is connected to in the background and may come, go and come back. */
export function openBullmqQueue({ redisUrl, observe }: BullmqQueueOptions): Queue {
  const errors = openRedisErrors(redisUrl, observe);
  const redis = openRedis({ url: redisUrl, errors, commandTimeoutMs: RING_TIMEOUT_MS });
  const queues: Record<QueueLane, BullQueue<Job>> = { direct: openLane('direct'), bulk: openLane('bulk') };
  const workers = new Set<Worker>();

  function openLane(lane: QueueLane): BullQueue<Job> {
    const queue = new BullQueue<Job>(lane, {
      connection: redis.client,
      prefix: PREFIX,
      // The version check asks Redis once, and a queue whose question fails stays broken for good.
      skipVersionCheck: true,
      // Nobody reads BullMQ's event streams.
      streams: { events: { maxLen: 0 } },
    });
    queue.on('error', errors.report);
    return queue;
  }

  async function ring(jobs: readonly Job[], delayMs: number): Promise<void> {
    for (const lane of queueLanes) {
      const rings = jobs.filter((job) => job.lane === lane).map((job) => ringOf(job, delayMs));
      const [first] = rings;
      // Most rings are alone, and the transaction around several costs three times the call.
      if (rings.length > 1) await queues[lane].addBulk(rings);
      else if (first !== undefined) await queues[lane].add(first.name, first.data, first.opts);
    }
  }

  /** Runs `ask` once Redis is there, all of it in bounded time; what it throws names no password. */
  async function asked<T>(timeoutMs: number, ask: () => Promise<T>): Promise<T> {
    const answer = within(timeoutMs, async () => {
      await redis.ready(timeoutMs);
      return ask();
    });
    return answer.catch((error: unknown) => {
      throw new Error(`Redis cannot be asked: ${errors.explain(error)}`);
    });
  }

  async function ringAgain(job: Job, afterMs: number): Promise<void> {
    await asked(RING_TIMEOUT_MS, () => ring([job], afterMs)).catch(errors.report);
  }

  return {
    add: async (jobs) => {
      await asked(RING_TIMEOUT_MS, () => ring(jobs, 0));
    },
    work: (handler, options) => {
      const worker = openWorker({ redisUrl, observe, errors, handler, options, ringAgain });
      workers.add(worker);
      return worker;
    },
    depth: () =>
      asked(RING_TIMEOUT_MS, async () => ({
        direct: await queues.direct.getJobCountByTypes('waiting', 'delayed'),
        bulk: await queues.bulk.getJobCountByTypes('waiting', 'delayed'),
      })),
    ping: async (timeoutMs) => {
      // A key of ours rather than PING: a node of a cluster, asked as if it were alone, answers PING too.
      await asked(timeoutMs, () => redis.client.exists(queues.direct.toKey('meta')));
    },
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.close();
    },
  };
}

interface OpenWorkerOptions extends BullmqQueueOptions {
  errors: RedisErrors;
  handler: JobHandler;
  options: WorkOptions;
  ringAgain: (job: Job, afterMs: number) => Promise<void>;
}

function openWorker({ redisUrl, observe, errors, handler, options, ringAgain }: OpenWorkerOptions): Worker {
  // BullMQ wants commands of workers to wait for Redis however long it is gone.
  const redis = openRedis({ url: redisUrl, errors, commandTimeoutMs: null });
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let farewell = false;

  const report = (error: Error): void => {
    // Connections that are cut on purpose break off what BullMQ was asking.
    if (!farewell) errors.report(error);
  };

  async function hear(job: Job): Promise<void> {
    // Fetched while the worker was being closed: left to others.
    if (stop.signal.aborted) return ringAgain(job, 0);
    const result = await runJob(job, handler, stop.signal, observe);
    if (result.kind === 'again') await ringAgain(job, result.afterMs);
  }

  const workers = queueLanes.map((lane) => {
    const worker = new BullWorker(
      lane,
      async ({ data }: { data: unknown }) => {
        const run: Promise<void> = hear(jobSchema.parse(data)).finally(() => running.delete(run));
        running.add(run);
        await run;
      },
      {
        connection: redis.client,
        prefix: PREFIX,
        concurrency: options.concurrency[lane],
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        lockDuration: LOCK_DURATION_MS,
        stalledInterval: STALLED_CHECK_MS,
      },
    );
    worker.on('error', report);
    // Handlers' errors end in `runJob`; this is a job that cannot be read, or that stalled too often.
    worker.on('failed', (_job, error) => report(error));
    return worker;
  });

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    stop.abort();
    await Promise.all(workers.map((worker) => worker.pause(true)));
    await Promise.all(running);
    farewell = true;
    redis.giveUp();
    // Redis may be gone: it then does not learn what finished, and those jobs run once more.
    const closed = Promise.all(workers.map(async (worker) => worker.close(!(await isConnected(worker)))));
    await within(FAREWELL_TIMEOUT_MS, () => closed).catch(() => undefined);
    redis.close();
    await closed;
  }

  /** Closing in peace waits for the end of a connection that, if it is away just then, never comes. */
  async function isConnected(worker: BullWorker): Promise<boolean> {
    const blocking = await Promise.race([worker.getBackend().blockingClient, Promise.resolve(undefined)]);
    return redis.client.status === 'ready' && blocking?.status === 'ready';
  }
  return { close: () => (closing ??= close()) };
}

function ringOf(job: Job, delayMs: number) {
  return {
    name: job.kind,
    data: job,
    opts: { delay: Math.ceil(delayMs), deduplication: { id: jobKey(job), keepLastIfActive: true } },
  };
}

/** Rejects where `action` takes longer; what it does then goes on unseen. */
async function within<T>(timeoutMs: number, action: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([action(), late]);
  } finally {
    clearTimeout(timer);
  }
}
