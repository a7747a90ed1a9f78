import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Observation, type Observe, observeNothing } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import type { JobResult, Queue } from '../../src/queue/queue.ts';
import { openRedisQueue } from '../../src/queue/redis-queue.ts';
import { withFallback } from '../../src/queue/with-fallback.ts';
import { describeWithOwnRedis, describeWithRedis } from '../support/redis.ts';
import { jobOf, noting, queueConformance } from './conformance.ts';

const FOUR_AT_A_TIME = { concurrency: { direct: 4, bulk: 4 } };
const PATIENCE = { timeout: 20_000, interval: 10 };

function openQueue(redisUrl: string, observe: Observe, clock = systemClock): Queue {
  return withFallback(openRedisQueue({ redisUrl, clock, observe }), openInProcessQueue({ observe }));
}

describe('The queue with a fallback', () => {
  describeWithRedis('while Redis is there', (redis) => {
    queueConformance(
      (observe) => openQueue(redis.url, observe, () => new Date(0)),
      () => redis.clear(),
    );
  });

  describeWithOwnRedis('while Redis is away', (redis) => {
    let queue: Queue;
    let observed: Observation[];
    const toldOf = (kind: string): Observation[] =>
      observed.filter((observation) => observation.kind === kind);
    beforeEach(async () => {
      await redis.clear();
      observed = [];
      queue = openQueue(redis.url, (observation) => observed.push(observation));
      await vi.waitFor(() => queue.ping(1_000), PATIENCE);
    });
    afterEach(() => queue.close());

    it('runs jobs here, and hands on what is to go on once Redis is back', async () => {
      let isWhole = false;
      const { handler, runs, ran } = noting(async (job): Promise<JobResult> => {
        await new Promise((resolve) => setImmediate(resolve));
        return job.notificationId === 'long' && !isWhole ? 'again' : 'done';
      });
      queue.work(handler, FOUR_AT_A_TIME);
      await redis.kill();
      try {
        await queue.add([jobOf('long'), jobOf('single', { lane: 'direct' })]);
        await runs(50);
        expect(ran.map(({ notificationId }) => notificationId)).toContain('single');
      } finally {
        await redis.restart();
      }
      await vi.waitFor(() => expect(toldOf('queue_back')).toHaveLength(1), PATIENCE);
      // From here on it goes through Redis, which has just begun to count.
      const client = new Redis(redis.url);
      await vi.waitFor(
        async () => expect(await client.info('commandstats')).toMatch(/cmdstat_zadd:calls=\d{2,}/),
        PATIENCE,
      );
      client.disconnect();
      isWhole = true;
      expect(toldOf('queue_away')).toHaveLength(1);
      expect(toldOf('job_failed')).toEqual([]);
    });

    it('goes on here with what was running on a bell of Redis', async () => {
      const gate = Promise.withResolvers<void>();
      const { handler, runs, names } = noting(async (job): Promise<JobResult> => {
        if (names().length > 1) return 'done';
        await gate.promise;
        return job.notificationId === 'a' ? 'again' : 'done';
      });
      queue.work(handler, FOUR_AT_A_TIME);
      await queue.add([jobOf('a')]);
      await runs(1);
      await redis.kill();
      try {
        await vi.waitFor(() => expect(toldOf('queue_away')).toHaveLength(1), PATIENCE);
        gate.resolve();
        await runs(2);
        expect(names()).toEqual(['a', 'a']);
      } finally {
        await redis.restart();
      }
    });

    it('keeps no job where there is no worker', async () => {
      await redis.kill();
      try {
        await expect(queue.add([jobOf('a')])).rejects.toThrow('Redis cannot be asked');
        // Known to be away, it is not asked again.
        const startedMs = performance.now();
        await expect(queue.add([jobOf('a')])).rejects.toThrow('Redis cannot be asked');
        expect(performance.now() - startedMs).toBeLessThan(100);
        expect(observed).toHaveLength(1);
      } finally {
        await redis.restart();
      }
    });

    it('is away as well where Redis takes no bells, as a full one does', async () => {
      const client = new Redis(redis.url);
      try {
        await client.config('SET', 'maxmemory', '1');
        const { handler, runs } = noting(() => 'done');
        queue.work(handler, FOUR_AT_A_TIME);
        await queue.add([jobOf('a')]);
        await runs(1);
        expect(toldOf('queue_away')).toEqual([
          { kind: 'queue_away', message: expect.stringContaining('OOM') },
        ]);
        await client.config('SET', 'maxmemory', '0');
        await vi.waitFor(() => expect(toldOf('queue_back')).toHaveLength(1), PATIENCE);
      } finally {
        await client.config('SET', 'maxmemory', '0');
        client.disconnect();
      }
    });
  });

  it('takes no job once it is closed', async () => {
    const queue = openQueue('redis://127.0.0.1:1', observeNothing);
    queue.work(async () => 'done', FOUR_AT_A_TIME);
    await queue.close();
    await expect(queue.add([jobOf('a')])).rejects.toThrow();
  });
});
