/** Opens the queue that the settings name: on Redis, or inside the process. */
import { systemClock } from '../clock.ts';
import type { Observe } from '../observe.ts';
import type { RedisQueue } from '../queue/bullmq-queue.ts';
import { openInProcessQueue } from '../queue/in-process.ts';
import type { Queue } from '../queue/queue.ts';
import { withFallback } from '../queue/with-fallback.ts';
import type { Config } from './config.ts';

/** @returns `redis` is the part of the queue that is on Redis, if the settings name one */
export async function openConfiguredQueue(
  { redisUrl }: Config,
  observe: Observe,
): Promise<{ queue: Queue; redis: RedisQueue | undefined }> {
  const inside = openInProcessQueue({ observe });
  if (redisUrl === undefined) return { queue: inside, redis: undefined };
  // Loaded only here: this saves a process that works alone 20 MB and a quarter of a second.
  const { openBullmqQueue } = await import('../queue/bullmq-queue.ts');
  const redis = openBullmqQueue({ redisUrl, clock: systemClock, observe });
  return { queue: withFallback(redis, inside), redis };
}
