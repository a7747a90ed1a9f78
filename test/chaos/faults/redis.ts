/** Redis dies, forgets, fills up, refuses to write, or falls silent. */
import { Redis } from 'ioredis';
import { faultsOf, lasts } from '../fault.ts';
import type { Stage } from '../stage.ts';
import { failedOverBySentinel } from './second-server.ts';

const SECONDS = 8;

async function onRedis({ redis }: Stage, ...commands: (readonly [string, ...string[]])[]): Promise<void> {
  const client = new Redis(redis.url, { maxRetriesPerRequest: 3 });
  try {
    for (const [name, ...words] of commands) await client.call(name, ...words);
  } finally {
    client.disconnect();
  }
}

export const redisFaults = faultsOf('Redis', [
  {
    name: `killed, back empty after ${SECONDS} s`,
    strike: async ({ redis }) => {
      await redis.kill();
      await lasts(SECONDS);
      await redis.restart();
    },
  },
  {
    name: `silent for ${SECONDS} s`,
    strike: async ({ redis }) => {
      redis.freeze();
      await lasts(SECONDS);
      redis.thaw();
    },
  },
  { name: 'flushed', strike: async (stage) => onRedis(stage, ['flushall']) },
  {
    name: `full for ${SECONDS} s`,
    strike: async (stage) => {
      await onRedis(stage, ['config', 'set', 'maxmemory', '1']);
      await lasts(SECONDS);
      await onRedis(stage, ['config', 'set', 'maxmemory', '0']);
    },
  },
  {
    name: `read-only for ${SECONDS} s`,
    strike: async (stage) => {
      // A replica of nobody: it refuses writes, and keeps what it has.
      await onRedis(stage, ['replicaof', '127.0.0.1', '1']);
      await lasts(SECONDS);
      await onRedis(stage, ['replicaof', 'no', 'one']);
    },
  },
  failedOverBySentinel,
]);
