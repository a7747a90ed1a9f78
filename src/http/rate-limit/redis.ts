/** Adds up the counts of all processes in Redis. */
import { openRedis } from '../../queue/redis.ts';
import type { SharedCounts } from './counts.ts';

/** The braces put all names into one hash slot of a cluster, so that a pipeline goes to one node. */
const PREFIX = '{carillon}:rate:';
const COMMAND_TIMEOUT_MS = 500;

/** @param url as in `RedisOptions` */
export function openRedisCounts(url: string): SharedCounts {
  // The queue uses the same Redis and reports its outages.
  const errors = { reportAway: () => undefined, explain: String, connected: () => undefined };
  const { client, close } = openRedis({ url, errors, commandTimeoutMs: COMMAND_TIMEOUT_MS });
  return {
    add: async (added) => {
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
