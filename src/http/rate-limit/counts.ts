/**
 * Counts per name in fixed time windows, which are the same in all processes. Counting happens in memory; processes that
 * share a Redis exchange their counts a few times per second. So a request never waits for Redis, and while Redis is
 * unavailable, each process counts alone.
 */
import type { Clock } from '../../clock.ts';
import { openRedis } from '../../queue/redis.ts';

interface Count {
  endsMs: number;
  windowMs: number;
  own: number;
  /** The part of `own` that has been published. */
  published: number;
  byOthers: number;
}

/**
 * Names are API keys and addresses. Beyond this number, the oldest counts are dropped, and their names start again at
 * 0.
 */
const NAMES_MAX = 100_000;
/** The counts that grow fastest are published first, because only they can reach a limit. */
const NAMES_PER_EXCHANGE_MAX = 1_000;

const EXCHANGE_EVERY_MS = 200;
/** The braces put all names into one hash slot of a cluster, so that a pipeline goes to one node. */
const PREFIX = '{carillon}:rate:';
const COMMAND_TIMEOUT_MS = 500;

/** @param redisUrl of a Redis in which processes share their counts; undefined: this process counts alone */
export function openCounts(clock: Clock, redisUrl: string | undefined) {
  const shared = redisUrl === undefined ? undefined : openRedisCounts(redisUrl);
  const counts = new Map<string, Count>();

  function countOf(name: string, windowMs: number, endsMs: number): Count {
    const known = counts.get(name);
    if (known?.endsMs === endsMs) return known;
    const count = { endsMs, windowMs, own: 0, published: 0, byOthers: 0 };
    counts.delete(name); // moves it to the end
    counts.set(name, count);
    if (counts.size > NAMES_MAX) dropFirst(counts);
    return count;
  }

  /** Publishes the counts since the last exchange, and reads the sums of all processes for the same names. */
  async function exchange(): Promise<void> {
    const nowMs = clock().getTime();
    for (const [name, { endsMs }] of counts) if (endsMs <= nowMs) counts.delete(name);
    if (shared === undefined) return;
    const due = [...counts]
      .map(([name, count]) => ({ name, count, by: count.own - count.published }))
      .filter(({ by }) => by > 0)
      .sort((left, right) => right.by - left.by)
      .slice(0, NAMES_PER_EXCHANGE_MAX);
    if (due.length === 0) return;
    // Not published again after a failure: Redis may have added it all the same, and nothing must count twice.
    const published = due.map(({ count }) => (count.published = count.own));
    const sums = await shared.add(
      due.map(({ name, count, by }) => ({
        name: `${name}:${count.endsMs}`,
        by,
        keptMs: 2 * count.windowMs,
      })),
    );
    for (const [index, { count }] of due.entries()) {
      count.byOthers = Math.max(0, (sums[index] ?? 0) - (published[index] ?? 0));
    }
  }

  let exchanging: Promise<void> | undefined;
  const timer = setInterval(() => {
    // While counts cannot be shared, each process counts alone.
    exchanging ??= exchange()
      .catch(() => undefined)
      .finally(() => (exchanging = undefined));
  }, EXCHANGE_EVERY_MS);

  return {
    /** @returns the count of the current window, and the milliseconds until that window ends */
    add: (name: string, windowMs: number) => {
      const nowMs = clock().getTime();
      const endsMs = endOfWindow(nowMs, windowMs);
      const count = countOf(name, windowMs, endsMs);
      count.own++;
      return { current: count.own + count.byOthers, ttl: endsMs - nowMs };
    },
    /** As `add`, without counting. */
    read: (name: string, windowMs: number) => {
      const nowMs = clock().getTime();
      const endsMs = endOfWindow(nowMs, windowMs);
      const known = counts.get(name);
      const current = known?.endsMs === endsMs ? known.own + known.byOthers : 0;
      return { current, ttl: endsMs - nowMs };
    },
    close: async () => {
      clearInterval(timer);
      await exchanging;
      shared?.close();
    },
  };
}

/** Counts in Redis, which processes add up there. */
export function openRedisCounts(url: string) {
  // The queue uses the same Redis and reports its outages.
  const errors = { reportAway: () => undefined, explain: String, connected: () => undefined };
  const { client, close } = openRedis({ url, errors, commandTimeoutMs: COMMAND_TIMEOUT_MS });
  return {
    /** @returns the sums over all processes, in the order of `added`; rejects if the counts cannot be shared now */
    add: async (added: readonly { name: string; by: number; keptMs: number }[]): Promise<number[]> => {
      if (client.status !== 'ready') throw new Error(`the connection is ${client.status}`);
      const pipeline = client.pipeline();
      for (const { name, by, keptMs } of added) {
        pipeline.incrby(PREFIX + name, by).pexpire(PREFIX + name, keptMs);
      }
      const replies = (await pipeline.exec()) ?? [];
      const failure = replies.find(([error]) => error !== null)?.[0];
      if (failure) throw failure;
      return added.map((_one, index) => Number(replies[2 * index]?.[1]));
    },
    close,
  };
}

function endOfWindow(nowMs: number, windowMs: number): number {
  return (Math.floor(nowMs / windowMs) + 1) * windowMs;
}

function dropFirst(counts: Map<string, Count>): void {
  const { value: first } = counts.keys().next();
  if (first !== undefined) counts.delete(first);
}
