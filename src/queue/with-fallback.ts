/**
 * The queue on Redis, and the queue inside the process that stands in while Redis is away. A worker then runs the work
 * that its own sweep finds in Postgres, and leases keep two workers from the same slice. When Redis is back, jobs that
 * run again are queued there.
 */
import type { JobHandler } from './job.ts';
import type { Queue } from './queue.ts';
import { RedisAway } from './redis-errors.ts';
import type { RedisQueue } from './bullmq-queue.ts';

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
      const moveInside = moving(() => redis.isAway);
      const moveToRedis = moving(() => !redis.isAway);
      const crews = [redis.work(moveInside, options), inside.work(moveToRedis, options)];
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
