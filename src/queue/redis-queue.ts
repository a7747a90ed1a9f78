/**
 * The queue of several processes, on Redis, Valkey or a cluster of them. A lane is a sorted set in which each bell
 * stands once, by the moment it was rung: `ZADD NX` rings, `BZPOPMIN` takes the one that has waited longest.
 *
 * A bell that has been taken is in the process that took it and nowhere else. Where that process dies, or the
 * connection with a bell on its way, the bell is lost, as all are lost with Redis itself, and `delivery/recover`
 * rings again (docs/decisions/0013-bells.md). A job that is rung while it runs here runs once more afterwards; if
 * another process takes that bell, at the same time.
 *
 * The moments are of the clocks of those who ring: where clocks differ, turns are fair to within the difference.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import { jobKey, queueLanes, runJob } from './job.ts';
import { type Place, Places } from './slots.ts';
import type { Job, JobHandler, Queue, QueueLane, Worker, WorkOptions } from './queue.ts';
import { openRedis } from './redis.ts';
import { openRedisErrors, RedisAway, type RedisOutage, UnreadableBell } from './redis-errors.ts';

/** The braces put all keys into one slot of a cluster: a worker waits for two of them at once. */
const PREFIX = '{carillon}:bells:';
/** A ring that takes longer is taken for lost: `delivery/recover` rings again within a second or so. */
const RING_TIMEOUT_MS = 2_000;
/** How long one question for the next bell waits; Redis then says that there was none. */
const TAKE_TIMEOUT_SECONDS = 5;
/** Where not even that is said, the connection is dead. */
const SILENCE_MS_MAX = 10_000;
/** Until the next question, where one was answered by an error. */
const TAKE_AGAIN_AFTER_MS = 1_000;
/** How long a worker that closes waits for Redis to let go of its questions. */
const FAREWELL_TIMEOUT_MS = 3_000;
/** Less than clocks tell apart, and enough for two scores to differ. */
const NEXT_MOMENT_MS = 2 ** -10;

const laneKeys: Readonly<Record<QueueLane, string>> = { direct: `${PREFIX}direct`, bulk: `${PREFIX}bulk` };

/** What Redis hands out was written by a process of some version, not necessarily this one. */
const bellSchema = z.object({
  kind: z.enum(['plan', 'deliver']),
  appId: z.string(),
  notificationId: z.string(),
  requestId: z.string(),
  bell: z.number(),
}) satisfies z.ZodType<Omit<Job, 'lane'>>;

export interface RedisQueueOptions {
  /** See `RedisOptions.url`. */
  redisUrl: string;
  clock: Clock;
  observe: Observe;
}

export interface RedisQueue extends Queue {
  /** Redis is known to be away: until it is back, what asks for it rejects at once. */
  readonly isAway: boolean;
}

/** Opens the queue; Redis is connected to in the background and may come, go and come back. */
export function openRedisQueue({ redisUrl, clock, observe }: RedisQueueOptions): RedisQueue {
  const errors = openRedisErrors({
    redisUrl,
    probe: async () => answering(RING_TIMEOUT_MS, tryToRing),
    clock,
    observe,
  });
  const redis = openRedis({ url: redisUrl, errors, commandTimeoutMs: RING_TIMEOUT_MS });
  const workers = new Set<Worker>();
  let lastRungMs = 0;

  /** Later than all moments before, also within the millisecond. */
  function nextMoment(): number {
    lastRungMs = Math.max(clock().getTime(), lastRungMs + NEXT_MOMENT_MS);
    return lastRungMs;
  }

  async function ring(jobs: readonly Job[]): Promise<void> {
    for (const lane of queueLanes) {
      const bells = jobs.flatMap((job) => (job.lane === lane ? [nextMoment(), bellOf(job)] : []));
      if (bells.length > 0) await redis.client.zadd(laneKeys[lane], 'NX', ...bells);
    }
  }

  /** A bell that goes by itself: as with any, Redis has to have room for it and to take writes. */
  async function tryToRing(): Promise<void> {
    await redis.client.set(`${PREFIX}probe`, '', 'EX', 1);
  }

  /** Runs `ask` once Redis is there, all of it in bounded time. */
  async function answering<T>(timeoutMs: number, ask: () => Promise<T>): Promise<T> {
    return within(timeoutMs, async () => {
      await redis.ready(timeoutMs);
      return ask();
    });
  }

  /** What it throws names no password. @throws {RedisAway} at once where Redis is known to be away */
  async function asked<T>(timeoutMs: number, ask: () => Promise<T>): Promise<T> {
    errors.refuseIfAway();
    return answering(timeoutMs, ask).catch((error: unknown) => {
      throw new Error(`Redis cannot be asked: ${errors.explain(error)}`);
    });
  }

  async function add(jobs: readonly Job[]): Promise<void> {
    errors.refuseIfAway();
    await answering(RING_TIMEOUT_MS, async () => ring(jobs)).catch((error: unknown) => {
      errors.reportAway(error);
      throw new RedisAway(errors.explain(error));
    });
  }

  /** Ends the wait for a bell at `key`, a worker's own. A bell that nobody waits for any more goes by itself. */
  async function release(key: string): Promise<void> {
    await asked(RING_TIMEOUT_MS, async () => redis.client.multi().zadd(key, 0, '').expire(key, 60).exec());
  }

  return {
    get isAway() {
      return errors.isAway;
    },
    add,
    work: (handler, options) => {
      const worker = openWorker({ redisUrl, observe, errors, handler, options, add, release });
      workers.add(worker);
      return worker;
    },
    depth: async () =>
      asked(RING_TIMEOUT_MS, async () => ({
        direct: await redis.client.zcard(laneKeys.direct),
        bulk: await redis.client.zcard(laneKeys.bulk),
      })),
    ping: async (timeoutMs) => {
      // A key of ours rather than PING: a node of a cluster, asked as if it were alone, answers PING too.
      await asked(timeoutMs, async () => redis.client.exists(laneKeys.direct));
    },
    close: async () => {
      await Promise.all([...workers].map(async (worker) => worker.close()));
      errors.close();
      redis.close();
    },
  };
}

interface WorkerOptions {
  redisUrl: string;
  observe: Observe;
  errors: RedisOutage;
  handler: JobHandler;
  options: WorkOptions;
  add: Queue['add'];
  release: (key: string) => Promise<void>;
}

function openWorker({ options, ...shared }: WorkerOptions): Worker {
  const lanes = queueLanes.map((lane) =>
    answerLane({ ...shared, lane, concurrency: options.concurrency[lane] }),
  );
  return {
    close: async () => {
      await Promise.all(lanes.map(async (lane) => lane.close()));
    },
  };
}

interface LaneOptions extends Omit<WorkerOptions, 'options'> {
  lane: QueueLane;
  concurrency: number;
}

/** Takes the bells of one lane and runs their jobs, over a connection of its own, which nearly always waits. */
function answerLane(options: LaneOptions): Worker {
  const { lane, concurrency, redisUrl: url, observe, errors, handler, add, release } = options;
  const redis = openRedis({ url, errors, commandTimeoutMs: null, silenceMsMax: SILENCE_MS_MAX });
  const farewellKey = `${laneKeys[lane]}:${randomUUID()}`;
  const stop = new AbortController();
  const runs = new Set<Promise<void>>();
  const running = new Set<string>();
  const rungMeanwhile = new Set<string>();
  let placeIsFree: (() => void) | undefined;
  const places = new Places(concurrency, () => placeIsFree?.());

  async function takeAll(): Promise<void> {
    while (!stop.signal.aborted) {
      if (!places.isFree) {
        await new Promise<void>((resolve) => {
          placeIsFree = resolve;
        });
        continue;
      }
      const bell = await take();
      const job = bell === undefined ? undefined : readBell(bell);
      if (job === undefined) continue;
      // Taken in the moment of closing: left to others.
      if (stop.signal.aborted) await ringAgain(job);
      else begin(job);
    }
  }

  /** @returns undefined where there was none */
  async function take(): Promise<string | undefined> {
    try {
      const taken = await redis.client.bzpopmin(laneKeys[lane], farewellKey, TAKE_TIMEOUT_SECONDS);
      return taken === null || taken[0] === farewellKey ? undefined : taken[1];
    } catch (error) {
      if (stop.signal.aborted) return undefined; // cut on purpose
      errors.report(error);
      await wait(TAKE_AGAIN_AFTER_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      return undefined;
    }
  }

  function readBell(bell: string): Job | undefined {
    try {
      return { lane, ...bellSchema.parse(JSON.parse(bell)) };
    } catch (error) {
      errors.report(
        new UnreadableBell(`Redis holds what is no bell: ${bell.slice(0, 200)}`, { cause: error }),
      );
      return undefined;
    }
  }

  function begin(job: Job): void {
    const key = jobKey(job);
    if (running.has(key)) {
      rungMeanwhile.add(key);
      return;
    }
    running.add(key);
    const place = places.take();
    const run: Promise<void> = runOne(job, key, place).finally(() => {
      runs.delete(run);
      place.leave();
    });
    runs.add(run);
  }

  async function runOne(job: Job, key: string, { giveWay }: Place): Promise<void> {
    const result = await runJob(job, handler, { signal: stop.signal, giveWay }, observe);
    running.delete(key);
    const wasRung = rungMeanwhile.delete(key);
    if (wasRung || result === 'again') await ringAgain(job);
  }

  async function ringAgain(job: Job): Promise<void> {
    await add([job]).catch(errors.report);
  }

  const takingAll = takeAll();

  async function close(): Promise<void> {
    stop.abort();
    await Promise.all([release(farewellKey).catch(errors.report), ...runs]);
    // Where Redis is away, the question that waits for it is never answered: neither is the end of it waited for.
    await within(FAREWELL_TIMEOUT_MS, async () => takingAll).catch(() => undefined);
    redis.close();
  }
  let closing: Promise<void> | undefined;
  return { close: async () => (closing ??= close()) };
}

/** Equal jobs are equal texts: the request is the notification's. */
function bellOf({ kind, appId, notificationId, requestId, bell }: Job): string {
  return JSON.stringify({ kind, appId, notificationId, requestId, bell } satisfies z.input<
    typeof bellSchema
  >);
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
