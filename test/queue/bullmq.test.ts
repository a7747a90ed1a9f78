import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker as BullWorker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { openBullmqQueue } from '../../src/queue/bullmq.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { describeWithOwnRedis, describeWithRedis } from '../support/redis.ts';
import { jobOf, noting, queueConformance } from './conformance.ts';

const FOUR_AT_A_TIME = { concurrency: { direct: 4, bulk: 4 } };
const PATIENCE = { timeout: 20_000, interval: 10 };
const idle = { direct: 0, bulk: 0 };

describeWithRedis('The queue on Redis', (redis) => {
  queueConformance(
    (observe) => openBullmqQueue({ redisUrl: redis.url, observe }),
    () => redis.clear(),
  );

  describe('between processes', () => {
    let here: Queue;
    let there: Queue;
    beforeEach(async () => {
      await redis.clear();
      here = openBullmqQueue({ redisUrl: redis.url, observe: observeNothing });
      there = openBullmqQueue({ redisUrl: redis.url, observe: observeNothing });
    });
    afterEach(() => Promise.all([here.close(), there.close()]));

    it('hands what one rings to the workers of all, each ring to one', async () => {
      const { handler, ran } = noting(() => ({ kind: 'done' }));
      here.work(handler, FOUR_AT_A_TIME);
      there.work(handler, FOUR_AT_A_TIME);
      await here.add(Array.from({ length: 200 }, (_, bell) => jobOf('a', { bell })));
      await vi.waitFor(async () => expect(await here.depth()).toEqual(idle), PATIENCE);
      await vi.waitFor(() => expect(ran).toHaveLength(200), PATIENCE);
      expect(new Set(ran.map((job) => job.bell)).size).toBe(200);
    });

    it('runs the job of a process that died, once its lock has run out', async () => {
      await here.add([jobOf('a')]);
      const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
      const dying = new BullWorker('bulk', null, { connection, prefix: '{carillon}', autorun: false });
      const taken = await dying.getNextJob('its-lock');
      await here.add([jobOf('a')]);
      await connection.del(`{carillon}:bulk:${taken?.id}:lock`);
      await dying.close();
      connection.disconnect();

      const { handler, runs, names } = noting(() => ({ kind: 'done' }));
      there.work(handler, FOUR_AT_A_TIME);
      await runs(2);
      expect(names()).toEqual(['a', 'a']);
    });
  });
});

describeWithOwnRedis('A queue whose Redis comes and goes', (redis) => {
  let queue: Queue;
  let observed: Observation[];
  beforeEach(async () => {
    await redis.clear();
    observed = [];
    queue = openBullmqQueue({ redisUrl: redis.url, observe: (observation) => observed.push(observation) });
    await queue.ping(5_000);
  });
  afterEach(() => queue.close());

  it('leaves nothing of 500 finished jobs behind', async () => {
    const { handler, ran } = noting((job) => {
      if (job.bell % 3 === 0) throw new Error('out of luck');
      return job.bell % 3 === 1 && ran.filter(({ bell }) => bell === job.bell).length === 1
        ? { kind: 'again', afterMs: job.bell % 2 }
        : { kind: 'done' };
    });
    const worker = queue.work(handler, FOUR_AT_A_TIME);
    const jobs = Array.from({ length: 500 }, (_, bell) => jobOf('a', { bell }));
    await queue.add(jobs);
    await queue.add(jobs);
    await vi.waitFor(async () => {
      expect(new Set(ran.map((job) => job.bell)).size).toBe(500);
      expect(await queue.depth()).toEqual(idle);
    }, PATIENCE);
    await worker.close();
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    const events = await client.xlen('{carillon}:bulk:events');
    client.disconnect();
    // What belongs to a lane as such: BullMQ's settings, counter, wake-up marker, stalled check.
    const ofLane = /^\{carillon\}:(direct|bulk):(meta|id|marker|events|stalled|stalled-check)$/;
    expect(keys.filter((key) => !ofLane.test(key))).toEqual([]);
    expect(events).toBeLessThan(300);
  });

  it('loses rings and nothing else when Redis is flushed', async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, runs, ran } = noting(async () => {
      await gate.promise;
      return { kind: 'again', afterMs: 0 };
    });
    const worker = queue.work(handler, { concurrency: { direct: 1, bulk: 1 } });
    await queue.add([jobOf('a'), jobOf('b')]);
    await runs(1);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    expect(await queue.depth()).toEqual(idle);
    gate.resolve();
    await queue.add([jobOf('b'), jobOf('a'), jobOf('c')]);
    await vi.waitFor(() => expect(ran.map((job) => job.notificationId)).toContain('c'), PATIENCE);
    await worker.close();
    expect(new Set(ran.map((job) => job.notificationId))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('goes on by itself when Redis was killed and is back', async () => {
    const { handler, runs, names } = noting(() => ({ kind: 'done' }));
    queue.work(handler, FOUR_AT_A_TIME);
    await queue.add([jobOf('before')]);
    await runs(1);
    await redis.kill();
    try {
      await vi.waitFor(() => expect(JSON.stringify(observed)).toContain('queue_error'), PATIENCE);
      await expect(queue.add([jobOf('lost')])).rejects.toThrow('Redis cannot be asked');
    } finally {
      await redis.restart();
    }
    await vi.waitFor(() => queue.add([jobOf('after')]), PATIENCE);
    await runs(2);
    expect(names()).toEqual(['before', 'after']);
    // One outage, four connections: each thing is said once.
    const told = observed.map((observation) => JSON.stringify(observation));
    expect(told).toEqual([...new Set(told)]);
  });

  it('says within the time allowed that it is not there', async () => {
    redis.freeze();
    try {
      const started = performance.now();
      await expect(queue.ping(300)).rejects.toThrow('within 300 ms');
      expect(performance.now() - started).toBeLessThan(1_000);
      await expect(queue.add([jobOf('a')])).rejects.toThrow();
      expect(performance.now() - started).toBeLessThan(4_000);
    } finally {
      redis.thaw();
    }
    await vi.waitFor(() => queue.ping(1_000), PATIENCE);
  });

  it.each([
    { state: 'silent', away: async () => redis.freeze(), back: async () => redis.thaw() },
    { state: 'gone', away: () => redis.kill(), back: () => redis.restart() },
  ])('closes in bounded time while Redis is $state', async ({ away, back }) => {
    const { handler, runs } = noting(
      (_job, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'done' }))),
    );
    queue.work(handler, FOUR_AT_A_TIME);
    await queue.add([jobOf('a')]);
    await runs(1);
    await away();
    try {
      const started = performance.now();
      await queue.close();
      expect(performance.now() - started).toBeLessThan(12_000);
    } finally {
      await back();
    }
  });

  it('closes in bounded time where Redis never was', async () => {
    await redis.kill();
    try {
      const lonely = openBullmqQueue({ redisUrl: redis.url, observe: observeNothing });
      lonely.work(async () => ({ kind: 'done' }), FOUR_AT_A_TIME);
      await expect(lonely.add([jobOf('a')])).rejects.toThrow('ECONNREFUSED');
      const started = performance.now();
      await lonely.close();
      expect(performance.now() - started).toBeLessThan(12_000);
    } finally {
      await redis.restart();
      await vi.waitFor(() => queue.ping(1_000), PATIENCE);
    }
  });
});

describeWithOwnRedis(
  'The queue on a cluster',
  (redis) => {
    const clusterUrl = (): string => redis.url.replace('redis:', 'redis+cluster:');
    beforeEach(async () => {
      const client = new Redis(redis.url);
      const slots = await client.cluster('INFO');
      if (!slots.includes('cluster_slots_assigned:16384')) await client.cluster('ADDSLOTSRANGE', 0, 16_383);
      await vi.waitFor(
        async () => expect(await client.cluster('INFO')).toContain('cluster_state:ok'),
        PATIENCE,
      );
      client.disconnect();
    });

    it('keeps the keys of a lane together, and everything works', async () => {
      const observed: Observation[] = [];
      const queue = openBullmqQueue({
        redisUrl: clusterUrl(),
        observe: (observation) => observed.push(observation),
      });
      const { handler, runs, ran } = noting(() =>
        ran.length === 1 ? { kind: 'again', afterMs: 1 } : { kind: 'done' },
      );
      queue.work(handler, FOUR_AT_A_TIME);
      await queue.ping(5_000);
      await queue.add([jobOf('a'), jobOf('b', { lane: 'direct' })]);
      await runs(3);
      await queue.close();
      expect(observed).toEqual([]);
    });
  },
  ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
);

describe('The password of Redis', () => {
  it('is named in no error, whatever the other side answers', async () => {
    const password = 'open sesame/1';
    const parrot = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const words = data.toString();
        const refusal = `-ERR unknown command, with args: ${words.replaceAll(/[\r\n]+/g, ' ')}\r\n`;
        socket.write(refusal.repeat(words.match(/^\*\d+\r$/gm)?.length ?? 0));
      });
    }).listen(0, '127.0.0.1');
    await once(parrot, 'listening');
    const address = parrot.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const told: string[] = [];
    const queue = openBullmqQueue({
      redisUrl: `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`,
      observe: (observation) => told.push(JSON.stringify(observation)),
    });
    const refusal: unknown = await queue.add([jobOf('a')]).catch((error: unknown) => error);
    await vi.waitFor(() => expect(told.join()).toContain('***'), PATIENCE);
    await queue.close();
    parrot.close();
    expect(refusal).toBeInstanceOf(Error);
    expect([...told, String(refusal)].join()).not.toContain(password);
    expect(told.join()).not.toContain(encodeURIComponent(password));
  });
});
