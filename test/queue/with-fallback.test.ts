import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Observation, Observe } from '../../src/observe.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { openBullmqQueue } from '../../src/queue/bullmq-queue.ts';
import { drainJob, type JobResult } from '../../src/queue/job.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { withFallback } from '../../src/queue/with-fallback.ts';
import { describeWithOwnRedis, describeWithRedis } from '../support/redis.ts';
import { atATime, jobOf, nameOf, noting, queueConformance } from './conformance.ts';

const PATIENCE = { timeout: 30_000, interval: 10 };

function openQueue(redisUrl: string, observe: Observe): Queue {
  return withFallback(
    openBullmqQueue({ redisUrl, clock: systemClock, observe }),
    openInProcessQueue({ observe }),
  );
}

describeWithRedis('while Redis is there', (redis) => {
  queueConformance(
    (observe) => openQueue(redis.url, observe),
    () => redis.clear(),
  );
});

describeWithOwnRedis('while Redis is away', (redis) => {
  let queue: Queue;
  let observed: Observation[];
  const observedOf = (kind: string): Observation[] =>
    observed.filter((observation) => observation.kind === kind);
  beforeEach(async () => {
    await redis.clear();
    observed = [];
    queue = openQueue(redis.url, (observation) => observed.push(observation));
    await vi.waitFor(() => queue.ping(1_000), PATIENCE);
  });
  afterEach(() => queue.close());

  it('the fallback runs jobs inside the process, and moves jobs that run again to Redis once it is back', async () => {
    let isWhole = false;
    const { handler, runs, ran } = noting(async (job): Promise<JobResult> => {
      await new Promise((resolve) => setImmediate(resolve));
      return nameOf(job) === 'long' && !isWhole ? 'again' : 'done';
    });
    queue.work(handler, atATime(4));
    await redis.kill();
    try {
      await queue.add([jobOf('long'), drainJob]);
      await runs(50);
      expect(ran.map(nameOf)).toContain('drain');
    } finally {
      await redis.restart();
    }
    await vi.waitFor(() => expect(observedOf('queue_back')).toHaveLength(1), PATIENCE);
    // From here on jobs go through Redis, whose counters began at its restart.
    const client = new Redis(redis.url);
    await vi.waitFor(
      async () => expect(await client.info('commandstats')).toMatch(/cmdstat_evalsha:calls=\d{2,}/),
      PATIENCE,
    );
    client.disconnect();
    isWhole = true;
    expect(observedOf('queue_away')).toHaveLength(1);
    expect(observedOf('job_failed')).toEqual([]);
  });

  it('the fallback continues inside the process with a job that Redis had started', async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, runs, names } = noting(async (job): Promise<JobResult> => {
      if (names().length > 1) return 'done';
      await gate.promise;
      return nameOf(job) === 'a' ? 'again' : 'done';
    });
    queue.work(handler, atATime(4));
    await queue.add([jobOf('a')]);
    await runs(1);
    await redis.kill();
    try {
      await vi.waitFor(() => expect(observedOf('queue_away')).toHaveLength(1), PATIENCE);
      gate.resolve();
      await runs(2);
      expect(names()).toEqual(['a', 'a']);
    } finally {
      await redis.restart();
    }
  });

  it('the fallback rejects a job in a process without a worker', async () => {
    await redis.kill();
    try {
      await expect(queue.add([jobOf('a')])).rejects.toThrow('Redis is not available');
      // Redis is known to be away, so no further command is sent, and nothing is waited for.
      const added = queue.add([jobOf('a')]).catch(String);
      const turn = new Promise((resolve) => setImmediate(resolve, 'not within this turn'));
      expect(await Promise.race([added, turn])).toContain('Redis is not available');
      expect(observed).toHaveLength(1);
    } finally {
      await redis.restart();
    }
  });

  it('the fallback counts a full Redis, which takes no jobs, as away', async () => {
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'maxmemory', '1');
      const { handler, runs } = noting(() => 'done');
      queue.work(handler, atATime(4));
      await queue.add([jobOf('a')]);
      await runs(1);
      expect(observedOf('queue_away')).toEqual([
        { kind: 'queue_away', message: expect.stringContaining('OOM') },
      ]);
      await client.config('SET', 'maxmemory', '0');
      await vi.waitFor(() => expect(observedOf('queue_back')).toHaveLength(1), PATIENCE);
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
    }
  });
});
