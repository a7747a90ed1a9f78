import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { type Observation, type Observe, observeNothing } from '../../src/observe.ts';
import { openBullmqQueue, type RedisQueue } from '../../src/queue/bullmq-queue.ts';
import { drainJob, jobKey, type JobResult } from '../../src/queue/job.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import { type Slot, Slots } from '../../src/queue/slots.ts';
import { readPage } from '../docs/markdown.ts';
import { describeWithOwnRedis, describeWithRedis } from '../support/redis.ts';
import { atATime, jobOf, nameOf, noting, queueConformance } from './conformance.ts';

/** Short, so that the job of a dead worker is soon run by another. */
const LOCK_MS = 1_000;
const PATIENCE = { timeout: 30_000, interval: 10 };
const idle = { direct: 0, bulk: 0 };

const openQueue = (redisUrl: string, observe: Observe = observeNothing): RedisQueue =>
  openBullmqQueue({ redisUrl, clock: systemClock, observe, lockMs: LOCK_MS });

/** Runs a command over a connection of its own. */
async function ask<T>(url: string, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

/** Prefix and name of each queue. */
async function queuesIn(url: string): Promise<string[]> {
  const keys = await ask(url, async (client) => client.keys('*:meta'));
  return keys.map((key) => key.replace(/:meta$/, '')).toSorted();
}

async function blockedClients(url: string): Promise<number> {
  const info = await ask(url, async (client) => client.info('clients'));
  return Number(/blocked_clients:(\d+)/.exec(info)?.[1]);
}

describeWithRedis('The queue on Redis', (redis) => {
  queueConformance(
    (observe) => openQueue(redis.url, observe),
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

    it('the jobs of one process go to the workers of all processes, each job to one', async () => {
      const { handler, ran } = noting(() => 'done');
      here.work(handler, atATime(4));
      there.work(handler, atATime(4));
      await here.add(Array.from({ length: 200 }, (_, number) => jobOf('a', { number })));
      await vi.waitFor(async () => expect(await here.depth()).toEqual(idle), PATIENCE);
      await vi.waitFor(() => expect(ran).toHaveLength(200), PATIENCE);
      expect(new Set(ran.map(jobKey)).size).toBe(200);
    });

    it('the job of a worker that died runs once its lock has expired', async () => {
      const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
      const dying = new BullWorker('direct', null, {
        connection,
        prefix: '{carillon}',
        lockDuration: LOCK_MS,
      });
      await here.add([drainJob]);
      expect(await dying.getNextJob('token')).toMatchObject({ name: 'drain' });
      const { handler, runs } = noting(() => 'done');
      there.work(handler, atATime(1));
      await here.add([drainJob]);
      await runs(1);
      await dying.close(true);
      connection.disconnect();
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

    it('a worker leaves a job that is added in the moment of closing to the next worker', async () => {
      const { handler, ran, runs } = noting(() => 'done');
      const worker = queue.work(handler, atATime(4));
      await queue.add([jobOf('before')]);
      await runs(1);
      const adding = queue.add([jobOf('a')]);
      await Promise.all([worker.close(), adding]);
      expect(ran).toHaveLength(1);
      expect(await queue.depth()).toEqual({ direct: 0, bulk: 1 });
    });

    it('a worker ends its blocking commands at once when it closes', async () => {
      const { handler, runs } = noting(() => 'done');
      const worker = queue.work(handler, atATime(4));
      await queue.add([jobOf('a'), drainJob]);
      await runs(2);
      await vi.waitFor(async () => expect(await blockedClients(redis.url)).toBe(2), PATIENCE);
      const started = performance.now();
      await worker.close();
      expect(performance.now() - started).toBeLessThan(2_000);
      expect(await blockedClients(redis.url)).toBe(0);
    });

    it('a worker takes no drain while its slots are full, so another worker gets it', async () => {
      const elsewhere = openQueue(redis.url);
      const slots = { direct: new Slots(1), bulk: new Slots(1) };
      const full = noting((): JobResult => {
        if (slots.direct.isFree) slots.direct.take();
        return 'again';
      });
      queue.work(full.handler, { slots });
      await queue.add([drainJob]);
      await full.runs(1);
      const other = noting(() => 'done');
      elsewhere.work(other.handler, atATime(1));
      await other.runs(1);
      await elsewhere.close();
      expect(full.ran).toHaveLength(1);
    });

    it('a worker takes drains again as soon as a slot is free', async () => {
      const slots = { direct: new Slots(1), bulk: new Slots(1) };
      const held: Slot[] = [];
      const { handler, runs } = noting((): JobResult => {
        held.push(slots.direct.take());
        return 'again';
      });
      queue.work(handler, { slots });
      await queue.add([drainJob]);
      for (let run = 1; run <= 5; run++) {
        await runs(run);
        held[run - 1]?.leave();
      }
    });

    it('a worker reports a job that it cannot read once, drops it and goes on', async () => {
      const { handler, names, runs } = noting(() => 'done');
      const connection = new Redis(redis.url);
      const foreign = new BullQueue('bulk', { connection, prefix: '{carillon}' });
      await foreign.add('deliver', { no: 'job' }, { removeOnComplete: true });
      await foreign.close();
      connection.disconnect();
      queue.work(handler, atATime(1));
      await queue.add([jobOf('a')]);
      await runs(1);
      expect(names()).toEqual(['a']);
      expect(observed).toEqual([{ kind: 'queue_error', message: expect.stringContaining('{"no":"job"}') }]);
    });

    it('a worker reports an error once, asks again every second, and goes on when it is over', async () => {
      const { handler, runs } = noting(() => 'done');
      const key = '{carillon}:bulk:wait';
      await ask(redis.url, async (client) => client.set(key, 'not a list'));
      await ask(redis.url, async (client) => client.config('RESETSTAT'));
      queue.work(handler, atATime(1));
      await vi.waitFor(() => expect(JSON.stringify(observed)).toContain('WRONGTYPE'), PATIENCE);
      await ask(redis.url, async (client) => client.del(key));
      await queue.add([jobOf('a')]);
      await runs(1);
      expect(observed).toHaveLength(1);
      const stats = await ask(redis.url, async (client) => client.info('commandstats'));
      expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])).toBeLessThan(40);
    });
  });
});

describeWithOwnRedis('A queue whose Redis comes and goes', (redis) => {
  let queue: RedisQueue;
  let observed: Observation[];
  beforeEach(async () => {
    await redis.clear();
    observed = [];
    queue = openQueue(redis.url, (observation) => observed.push(observation));
    await queue.ping(5_000);
  });
  afterEach(() => queue.close());

  it('the queue leaves nothing of 500 finished jobs behind but bounded event streams', async () => {
    const { handler, ran } = noting((job) => {
      const number = job.kind === 'deliver' ? job.number : 0;
      if (number % 3 === 0) throw new Error('out of luck');
      const isFirst = ran.filter((other) => jobKey(other) === jobKey(job)).length === 1;
      return number % 3 === 1 && isFirst ? 'again' : 'done';
    });
    const worker = queue.work(handler, atATime(4));
    const jobs = Array.from({ length: 500 }, (_, number) => jobOf('a', { number }));
    await queue.add(jobs);
    await queue.add(jobs);
    // Between the end of a job that is to run again and its return, the queue is idle, so its second run is waited for.
    const again = new Set(jobs.filter(({ number }) => number % 3 === 1).map(jobKey));
    await vi.waitFor(async () => {
      const runs = Map.groupBy(ran, jobKey);
      expect(runs.size).toBe(500);
      expect([...again].filter((key) => runs.get(key)?.length === 1)).toEqual([]);
      expect(await queue.depth()).toEqual(idle);
    }, PATIENCE);
    await worker.close();
    const left = await ask(redis.url, async (client) => client.keys('*'));
    const ofTheQueues = /^{carillon}:(direct|bulk):(id|meta|events|marker|stalled-check)$/;
    expect(left.filter((key) => !ofTheQueues.test(key))).toEqual([]);
    expect(await ask(redis.url, async (client) => client.xlen('{carillon}:bulk:events'))).toBeLessThan(300);
  });

  it('the queue has the prefix and the names that docs/operations.md gives for dashboards', async () => {
    const schedule = queue.schedule(
      [{ name: 'job', everyMs: 60_000, run: async () => undefined }],
      async () => undefined,
    );
    await vi.waitFor(async () => {
      expect(await queuesIn(redis.url)).toEqual([
        '{carillon}:bulk',
        '{carillon}:direct',
        '{carillon}:periodic',
      ]);
    }, PATIENCE);
    await schedule.close();
    const { text } = readPage('docs/operations.md');
    expect(text).toMatch(/Prefix:\s`\{carillon\}`\. Queues:\s`direct`, `bulk` .*`periodic`/s);
  });

  it('the queue loses jobs and nothing else when Redis is flushed', async () => {
    const gate = Promise.withResolvers<void>();
    const { handler, runs, ran } = noting(async (): Promise<JobResult> => {
      await gate.promise;
      return 'again';
    });
    const worker = queue.work(handler, atATime(1));
    await queue.add([jobOf('a'), jobOf('b')]);
    await runs(1);
    await ask(redis.url, async (client) => client.flushall());
    expect(await queue.depth()).toEqual(idle);
    gate.resolve();
    await queue.add([jobOf('b'), jobOf('a'), jobOf('c')]);
    await vi.waitFor(() => expect(ran.map(nameOf)).toContain('c'), PATIENCE);
    await worker.close();
    expect(new Set(ran.map(nameOf))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('the queue rejects a ping within its time limit while Redis is silent', async () => {
    redis.freeze();
    try {
      await expect(queue.ping(300)).rejects.toThrow('within 300 ms');
      await expect(queue.add([jobOf('a')])).rejects.toThrow();
    } finally {
      redis.thaw();
    }
    await vi.waitFor(() => queue.ping(1_000), PATIENCE);
  });

  it('the queue runs a job that is added after Redis was silent', async () => {
    const { handler, runs } = noting(() => 'done');
    queue.work(handler, atATime(1));
    await queue.add([jobOf('before')]);
    await runs(1);
    redis.freeze();
    await expect(queue.add([jobOf('lost')])).rejects.toThrow('Redis is not available');
    redis.thaw();
    await vi.waitFor(() => queue.add([jobOf('after')]), PATIENCE);
    await runs(2);
  });

  it.each([
    { state: 'silent', away: async () => redis.freeze(), back: async () => redis.thaw() },
    { state: 'gone', away: () => redis.kill(), back: () => redis.restart() },
  ])('the queue closes while Redis is $state', async ({ away, back }) => {
    const { handler, runs } = noting(
      (_job, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('done'))),
    );
    queue.work(handler, atATime(4));
    await queue.add([jobOf('a')]);
    await runs(1);
    await away();
    try {
      await queue.close();
    } finally {
      await back();
    }
  });

  it('the queue closes where Redis was never there', async () => {
    await redis.kill();
    try {
      const lonely = openQueue(redis.url);
      lonely.work(() => Promise.resolve('done'), atATime(4));
      await expect(lonely.add([jobOf('a')])).rejects.toThrow('ECONNREFUSED');
      await lonely.close();
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

    it('the queue keeps its keys in one slot of a cluster, and everything works', async () => {
      const observed: Observation[] = [];
      const queue = openQueue(clusterUrl(), (observation) => observed.push(observation));
      const { handler, runs, ran } = noting(() => (ran.length === 1 ? 'again' : 'done'));
      queue.work(handler, atATime(4));
      await queue.ping(5_000);
      await queue.add([jobOf('a'), drainJob]);
      await runs(3);
      await queue.close();
      expect(observed).toEqual([]);
    });
  },
  ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
);

it('the password of Redis is in no error, whatever the other side answers', async () => {
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
  const observed: string[] = [];
  const queue = openQueue(`redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`, (observation) =>
    observed.push(JSON.stringify(observation)),
  );
  const refusal: unknown = await queue.add([jobOf('a')]).catch((error: unknown) => error);
  await vi.waitFor(() => expect(observed.join()).toContain('***'), PATIENCE);
  await queue.close();
  parrot.close();
  expect(refusal).toBeInstanceOf(Error);
  expect([...observed, String(refusal)].join()).not.toContain(password);
  expect(observed.join()).not.toContain(encodeURIComponent(password));
});
