/**
 * The queue on Redis, and what stands in for it while Redis is away: a queue inside the process. What the API of another
 * process would have rung for, the sweep of `delivery/recover` finds in Postgres and rings for here. Every worker does
 * so, and the leases keep two of them from the same slice. When Redis is back, jobs that are to go on ring there again.
 *
 * Each queue has its own places: for a moment at either end of an outage a process may run twice as many jobs.
 */
import type { JobHandler, Queue, Worker } from './queue.ts';
import { RedisAway } from './redis-errors.ts';
import type { RedisQueue } from './redis-queue.ts';

/** Closes both with itself. A process without a worker has no use for jobs of its own: there, `add` rejects. */
export function withFallback(redis: RedisQueue, inside: Queue): Queue {
  let workers = 0;

  const add: Queue['add'] = async (jobs) => {
    try {
      await redis.add(jobs);
    } catch (error) {
      if (!(error instanceof RedisAway) || workers === 0) throw error;
      await inside.add(jobs);
    }
  };

  return {
    add,
    work: (handler, options) => {
      workers += 1;
      const moving =
        (isToMove: () => boolean): JobHandler =>
        async (job, signal, giveWay) => {
          const result = await handler(job, signal, giveWay);
          if (result === 'done' || !isToMove()) return result;
          await add([job]);
          return 'done';
        };
      const crews: Worker[] = [
        redis.work(
          moving(() => redis.isAway),
          options,
        ),
        inside.work(
          moving(() => !redis.isAway),
          options,
        ),
      ];
      return {
        close: async () => {
          await Promise.all(crews.map(async (crew) => crew.close()));
          workers -= 1;
        },
      };
    },
    depth: async () => redis.depth(),
    ping: async (timeoutMs) => redis.ping(timeoutMs),
    close: async () => {
      await Promise.all([redis.close(), inside.close()]);
    },
  };
}
