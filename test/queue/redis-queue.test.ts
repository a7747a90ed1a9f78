import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Observation, type Observe, observeNothing } from '../../src/observe.ts';
import type { JobResult, Queue } from '../../src/queue/queue.ts';
import { openRedis } from '../../src/queue/redis.ts';
import { openRedisErrors } from '../../src/queue/redis-errors.ts';
import { openRedisQueue } from '../../src/queue/redis-queue.ts';
import { describeWithOwnRedis, describeWithRedis } from '../support/redis.ts';
import { jobOf, noting, queueConformance } from './conformance.ts';

const BULK = '{carillon}:bells:bulk';
const ONE_AT_A_TIME = { concurrency: { direct: 1, bulk: 1 } };
const FOUR_AT_A_TIME = { concurrency: { direct: 4, bulk: 4 } };
const PATIENCE = { timeout: 20_000, interval: 10 };
const idle = { direct: 0, bulk: 0 };

const openQueue = (redisUrl: string, observe: Observe = observeNothing): Queue =>
  openRedisQueue({ redisUrl, clock: systemClock, observe });

/** Asks Redis over a connection of its own. */
async function ask<T>(url: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

describeWithRedis('The queue on Redis', (redis) => {
  queueConformance(
    // Its clock stands still: what is rung in one moment keeps its order.
    (observe) => openRedisQueue({ redisUrl: redis.url, clock: () => new Date(0), observe }),
    () => redis.clear(),
  );

  describe('between processes', () => {
    let here: Queue;
    let there: Queue;
    beforeEach(async () => {
      await redis.clear();
      here = openQueue(redis.url);
      there = openQueue(redis.url);
    });
    afterEach(() => Promise.all([here.close(), there.close()]));

    it('hands what one rings to the workers of all, each ring to one', async () => {
      const { handler, ran } = noting(() => 'done');
      here.work(handler, FOUR_AT_A_TIME);
      there.work(handler, FOUR_AT_A_TIME);
      await here.add(Array.from({ length: 200 }, (_, bell) => jobOf('a', { bell })));
      await vi.waitFor(async () => expect(await here.depth()).toEqual(idle), PATIENCE);
      await vi.waitFor(() => expect(ran).toHaveLength(200), PATIENCE);
      expect(new Set(ran.map((job) => job.bell)).size).toBe(200);
    });

    it('lets another run what is rung while the first runs it: nobody has to wait for who may be dead', async () => {
      const gate = Promise.withResolvers<'done'>();
      const dying = noting(() => gate.promise);
      here.work(dying.handler, FOUR_AT_A_TIME);
      await here.add([jobOf('a')]);
      await dying.runs(1);
      const { handler, runs, names } = noting(() => 'done');
      there.work(handler, ONE_AT_A_TIME);
      // Either may take the bell; who runs the job already keeps it until it has.
      await vi.waitFor(async () => {
        await here.add([jobOf('a')]);
        expect(names()).toEqual(['a']);
      }, PATIENCE);
      gate.resolve('done');
      await runs(1);
    });
  });

  describe('a worker', () => {
    let queue: Queue;
    let observed: Observation[];
    beforeEach(async () => {
      await redis.clear();
      observed = [];
      queue = openQueue(redis.url, (observation) => observed.push(observation));
    });
    afterEach(() => queue.close());

    it('puts back the bell that it takes in the moment of closing', async () => {
      const { handler, ran, runs } = noting(() => 'done');
      const worker = queue.work(handler, FOUR_AT_A_TIME);
      await queue.add([jobOf('before')]);
      await runs(1);
      // It waits for the next one, and has it before it can let go.
      const adding = queue.add([jobOf('a')]);
      await Promise.all([worker.close(), adding]);
      expect(ran).toHaveLength(1);
      expect(await queue.depth()).toEqual({ direct: 0, bulk: 1 });
      // What would have let it go is of no use to anybody, and goes by itself.
      await ask(redis.url, async (client) => {
        const left = (await client.keys('{carillon}:*')).filter((key) => key !== BULK);
        expect(left).toHaveLength(1);
        for (const key of left) expect(await client.ttl(key)).toBeGreaterThan(0);
      });
    });

    it('lets go of its wait for bells at once when it closes, and leaves no key', async () => {
      const { handler, runs } = noting(() => 'done');
      const worker = queue.work(handler, FOUR_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b', { lane: 'direct' })]);
      await runs(2);
      const blocked = async (): Promise<number> =>
        ask(redis.url, async (client) =>
          Number(/blocked_clients:(\d+)/.exec(await client.info('clients'))?.[1]),
        );
      await vi.waitFor(async () => expect(await blocked()).toBe(2), PATIENCE);
      const started = performance.now();
      await worker.close();
      expect(performance.now() - started).toBeLessThan(2_000);
      expect(await blocked()).toBe(0);
      expect(await ask(redis.url, async (client) => client.keys('{carillon}:*'))).toEqual([]);
    });

    it('tells of a bell that it cannot read, drops it and goes on', async () => {
      const { handler, names, runs } = noting(() => 'done');
      await ask(redis.url, async (client) => client.zadd(BULK, 0, 'not a bell', 1, '{"kind":"dance"}'));
      queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a')]);
      await runs(1);
      expect(names()).toEqual(['a']);
      expect(observed).toEqual([
        { kind: 'queue_error', message: expect.stringContaining('not a bell') },
        { kind: 'queue_error', message: expect.stringContaining('dance') },
      ]);
    });

    it('tells of an error once, and goes on when it is over', async () => {
      const { handler, runs } = noting(() => 'done');
      await ask(redis.url, async (client) => client.set(BULK, 'no sorted set'));
      queue.work(handler, ONE_AT_A_TIME);
      await vi.waitFor(() => expect(JSON.stringify(observed)).toContain('WRONGTYPE'), PATIENCE);
      await ask(redis.url, async (client) => client.del(BULK));
      await queue.add([jobOf('a')]);
      await runs(1);
      expect(observed).toHaveLength(1);
    });
  });
});

describeWithOwnRedis('A queue whose Redis comes and goes', (redis) => {
  let queue: Queue;
  let observed: Observation[];
  beforeEach(async () => {
    await redis.clear();
    observed = [];
    queue = openQueue(redis.url, (observation) => observed.push(observation));
    await queue.ping(5_000);
  });
  afterEach(() => queue.close());

  it('leaves nothing of 500 finished jobs behind', async () => {
    const { handler, ran } = noting((job) => {
      if (job.bell % 3 === 0) throw new Error('out of luck');
      return job.bell % 3 === 1 && ran.filter(({ bell }) => bell === job.bell).length === 1
        ? 'again'
        : 'done';
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
    expect(await ask(redis.url, async (client) => client.keys('*'))).toEqual([]);
  });

  it('loses rings and nothing else when Redis is flushed', async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, runs, ran } = noting(async (): Promise<JobResult> => {
      await gate.promise;
      return 'again';
    });
    const worker = queue.work(handler, ONE_AT_A_TIME);
    await queue.add([jobOf('a'), jobOf('b')]);
    await runs(1);
    await ask(redis.url, async (client) => client.flushall());
    expect(await queue.depth()).toEqual(idle);
    gate.resolve();
    await queue.add([jobOf('b'), jobOf('a'), jobOf('c')]);
    await vi.waitFor(() => expect(ran.map((job) => job.notificationId)).toContain('c'), PATIENCE);
    await worker.close();
    expect(new Set(ran.map((job) => job.notificationId))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('goes on by itself when Redis was killed and is back', async () => {
    const { handler, runs, names } = noting(() => 'done');
    queue.work(handler, FOUR_AT_A_TIME);
    await queue.add([jobOf('before')]);
    await runs(1);
    await redis.kill();
    try {
      await vi.waitFor(() => expect(JSON.stringify(observed)).toContain('queue_away'), PATIENCE);
      await expect(queue.add([jobOf('lost')])).rejects.toThrow('Redis cannot be asked');
    } finally {
      await redis.restart();
    }
    await vi.waitFor(() => queue.add([jobOf('after')]), PATIENCE);
    await runs(2);
    expect(names()).toEqual(['before', 'after']);
    // One outage, three connections: its beginning is told once, and its end.
    expect(observed).toEqual([
      { kind: 'queue_away', message: expect.any(String) },
      { kind: 'queue_back', durationMs: expect.any(Number), errors: expect.any(Number) },
    ]);
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

  it('makes a connection anew that owes an answer and has fallen silent', async () => {
    const errors = openRedisErrors({
      redisUrl: redis.url,
      probe: async () => undefined,
      clock: systemClock,
      observe: observeNothing,
    });
    const { client, close } = openRedis({
      url: redis.url,
      errors,
      commandTimeoutMs: null,
      silenceMsMax: 200,
    });
    await once(client, 'ready');
    const cut = new Promise((resolve) => client.once('close', resolve));
    const taking = client.bzpopmin(BULK, 60);
    redis.freeze();
    await cut.finally(() => redis.thaw());
    await queue.add([jobOf('a')]);
    expect((await taking)?.[0]).toBe(BULK);
    close();
    errors.close();
  });

  it.each([
    { state: 'silent', away: async () => redis.freeze(), back: async () => redis.thaw() },
    { state: 'gone', away: () => redis.kill(), back: () => redis.restart() },
  ])('closes in bounded time while Redis is $state', async ({ away, back }) => {
    const { handler, runs } = noting(
      (_job, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('done'))),
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
      const lonely = openQueue(redis.url);
      lonely.work(() => Promise.resolve('done'), FOUR_AT_A_TIME);
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
      const queue = openQueue(clusterUrl(), (observation) => observed.push(observation));
      const { handler, runs, ran } = noting(() => (ran.length === 1 ? 'again' : 'done'));
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
    const queue = openQueue(`redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`, (observation) =>
      told.push(JSON.stringify(observation)),
    );
    const refusal: unknown = await queue.add([jobOf('a')]).catch((error: unknown) => error);
    await vi.waitFor(() => expect(told.join()).toContain('***'), PATIENCE);
    await queue.close();
    parrot.close();
    expect(refusal).toBeInstanceOf(Error);
    expect([...told, String(refusal)].join()).not.toContain(password);
    expect(told.join()).not.toContain(encodeURIComponent(password));
  });
});
