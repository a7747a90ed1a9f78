/** The connections that BullMQ makes from ours: a process can exit only once all of them have ended. */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openRedis, type RedisConnection } from '../../src/queue/redis.ts';
import { PATIENCE } from '../support/patience.ts';
import { describeWithOwnRedis } from '../support/redis.ts';

const errors = { reportAway: () => undefined, explain: String, connected: () => undefined };

describeWithOwnRedis('a duplicate of a connection to Redis', (redis) => {
  let connection: RedisConnection;
  let duplicate: Redis;

  beforeEach(async () => {
    connection = openRedis({ url: redis.url, errors, commandTimeoutMs: null });
    if (!(connection.client instanceof Redis)) throw new Error('the address is not that of a cluster');
    duplicate = connection.client.duplicate();
    await duplicate.ping();
  });
  afterEach(() => connection.close());

  it('a duplicate of a connection ends with the connection', async () => {
    const ended = once(duplicate, 'end');
    connection.close();
    await ended;
  });

  it.each([
    { state: 'away', beforeItEnds: async () => undefined },
    { state: 'back', beforeItEnds: async () => redis.restart() },
  ])(
    'a duplicate that waits to reconnect while Redis is $state ends with the connection, and commands reject',
    async ({ state, beforeItEnds }) => {
      await redis.kill();
      try {
        await vi.waitFor(() => expect(duplicate.status).toBe('reconnecting'), { ...PATIENCE, interval: 1 });
        const waiting = expect(duplicate.ping()).rejects.toThrow('closed');
        const ended = once(duplicate, 'end');
        // As BullMQ does: alone, this ends nothing.
        duplicate.disconnect();
        expect(duplicate.status).toBe('reconnecting');
        await beforeItEnds();
        connection.close();
        await ended;
        await waiting;
      } finally {
        if (state === 'away') await redis.restart();
      }
    },
  );

  it('a duplicate that connects after the close is dropped', async () => {
    const ended = once(duplicate, 'end');
    connection.close();
    await ended;
    const droppedAgain = once(duplicate, 'end');
    await duplicate.connect().catch(() => undefined);
    await droppedAgain;
  });
});
