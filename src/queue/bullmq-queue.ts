/**
 * The queue of several processes: BullMQ on Redis, Valkey or a cluster of them, one BullMQ queue per lane
 * (docs/decisions/0019-bullmq-wakes-lanes.md).
 *
 * BullMQ's deduplication keeps at most one waiting and one active job per key, so single pushes cost one job for
 * whatever is due, not one each. A job whose worker died runs again once its lock has expired; until then the sweep
 * finds its work. Finished jobs are removed at once.
 */
import { Queue as BullQueue, type QueueOptions } from 'bullmq';
import type { Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { pause, type PeriodicJob } from '../scheduling/periodically.ts';
import { openBullLane } from './bullmq-lane.ts';
import { startBullSchedule } from './bullmq-schedule.ts';
import { BULL_PREFIX } from './bullmq-worker.ts';
import { DRAIN_EVERY_MS, drainJob, type Job, jobKey, type QueueLane, queueLanes } from './job.ts';
import type { Queue, Worker } from './queue.ts';
import { openRedis } from './redis.ts';
import { openRedisErrors, RedisAway } from './redis-errors.ts';
import { shareNext } from './share-next.ts';
import { withinTime } from '../scheduling/time-limit.ts';

/** A job that takes longer to add counts as lost: the sweep finds its work within a second or so. */
const ADD_TIMEOUT_MS = 2_000;
/** As long as the lease of a slice, so that a job is taken over when its slice is. */
const LOCK_MS = 10_000;
/** For dashboards; nothing of ours reads these events. */
const EVENTS_MAX = 100;

export interface BullmqQueueOptions {
  /** See `RedisOptions.url`. */
  redisUrl: string;
  clock: Clock;
  observe: Observe;
  /** Milliseconds after which the job of a worker that died runs again. */
  lockMs?: number;
}

export interface RedisQueue extends Queue {
  /** Whether Redis is known to be away: until it is back, commands reject at once. */
  readonly isAway: boolean;
  /**
   * Makes one of the processes that call it run each job at its interval.
   * @param run never rejects
   */
  schedule(
    jobs: readonly PeriodicJob[],
    run: (job: PeriodicJob, stop: AbortSignal) => Promise<void>,
  ): { close(): Promise<void> };
}

/** Opens the queue. It connects to Redis in the background; Redis may be away at first or at times. */
export function openBullmqQueue(options: BullmqQueueOptions): RedisQueue {
  const { redisUrl, clock, observe, lockMs = LOCK_MS } = options;
  const errors = openRedisErrors({
    redisUrl,
    probe: async () => answering(ADD_TIMEOUT_MS, tryToWrite),
    clock,
    observe,
  });
  const redis = openRedis({ url: redisUrl, errors, commandTimeoutMs: ADD_TIMEOUT_MS });
  const bullOptions: QueueOptions = {
    connection: redis.client,
    prefix: BULL_PREFIX,
    skipVersionCheck: true, // it would write its warnings to standard output; `carillon doctor` checks the version
    streams: { events: { maxLen: EVENTS_MAX } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  };
  const queues = { direct: openBullQueue('direct'), bulk: openBullQueue('bulk') };
  const workers = new Set<{ close(): Promise<void> }>();
  const closing = new AbortController();
  /** Its pause ends early when the queue closes: a drain that waits for it is added then. */
  const addDrain = shareNext(
    async () => addTo('direct', [drainJob]),
    async () => pause(DRAIN_EVERY_MS, closing.signal),
  );
  /** The latest drain that was requested. */
  let latestDrain = Promise.resolve();

  function openBullQueue(name: string): BullQueue {
    const queue = new BullQueue(name, bullOptions);
    // The connection reports its own errors, and errors of commands go to the caller.
    queue.on('error', () => undefined);
    return queue;
  }

  /** Checks that Redis has room and accepts writes, which a job needs. The key expires. */
  async function tryToWrite(): Promise<void> {
    await redis.client.set(`${BULL_PREFIX}:probe`, '', 'EX', 1);
  }

  /** Runs `command` once Redis is there, all of it in bounded time. */
  async function answering<T>(timeoutMs: number, command: () => Promise<T>): Promise<T> {
    const answer = async (): Promise<T> => {
      await redis.ready(timeoutMs);
      return command();
    };
    return withinTime(timeoutMs, answer());
  }

  /** Its errors contain no password. @throws {RedisAway} at once if Redis is known to be away */
  async function asked<T>(timeoutMs: number, command: () => Promise<T>): Promise<T> {
    errors.refuseIfAway();
    return answering(timeoutMs, command).catch((error: unknown) => {
      throw new Error(`Redis is not available: ${errors.explain(error)}`);
    });
  }

  /** @throws {RedisAway} */
  async function addTo(lane: QueueLane, jobs: readonly Job[]): Promise<void> {
    const [first, ...others] = jobs.map(bullJobOf);
    if (first === undefined) return;
    errors.refuseIfAway();
    await answering(ADD_TIMEOUT_MS, async () => {
      if (others.length === 0) await queues[lane].add(first.name, first.data, first.opts);
      else await queues[lane].addBulk([first, ...others]);
    }).catch((error: unknown) => {
      errors.reportAway(error);
      throw new RedisAway(errors.explain(error));
    });
  }

  async function add(jobs: readonly Job[]): Promise<void> {
    errors.refuseIfAway();
    if (jobs.some(({ kind }) => kind === 'drain')) {
      latestDrain = addDrain();
      await latestDrain;
    }
    await addTo(
      'bulk',
      jobs.filter(({ kind }) => kind === 'deliver'),
    );
  }

  return {
    get isAway() {
      return errors.isAway;
    },
    add,
    work: (handler, { slots }) => {
      const lanes = queueLanes.map((lane) =>
        openBullLane({ redisUrl, lane, slots: slots[lane], lockMs, observe, errors, handler, add }),
      );
      const worker: Worker = {
        close: async () => {
          await Promise.all(lanes.map(async (lane) => lane.close()));
          workers.delete(worker);
        },
      };
      workers.add(worker);
      return worker;
    },
    schedule: (jobs, run) => {
      const schedule = startBullSchedule({
        redisUrl,
        queue: openBullQueue('periodic'),
        ask: async (command) => answering(ADD_TIMEOUT_MS, command),
        lockMs,
        clock,
        errors,
        jobs,
        run,
      });
      workers.add(schedule);
      return schedule;
    },
    depth: async () =>
      asked(ADD_TIMEOUT_MS, async () => ({
        direct: await queues.direct.getWaitingCount(),
        bulk: await queues.bulk.getWaitingCount(),
      })),
    ping: async (timeoutMs) => {
      // Reads a key of ours instead of sending PING, which a node of a cluster answers even if the address names it as
      // a single server.
      await asked(timeoutMs, async () => redis.client.exists(`${BULL_PREFIX}:probe`));
    },
    close: async () => {
      await Promise.all([...workers].map(async (worker) => worker.close()));
      closing.abort();
      await latestDrain.catch(() => undefined); // its caller has the error
      errors.close();
      redis.close();
    },
  };
}

function bullJobOf(job: Job) {
  const { lane: _lane, kind: name, ...data } = job;
  return { name, data, opts: { deduplication: { id: jobKey(job), keepLastIfActive: true } } };
}
