/** Drains wake the direct lane: none is lost, however a push and a drain meet, and many pushes share a few commands. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { observeNothing } from '../../src/observe.ts';
import { openBullmqQueue, type RedisQueue } from '../../src/queue/bullmq-queue.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { DRAIN_EVERY_MS, drainJob, type JobHandler } from '../../src/queue/job.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { describeWithOwnRedis } from '../support/redis.ts';
import { runs } from '../support/runs.ts';
import { atATime } from './conformance.ts';

const PATIENCE = { timeout: 30_000, interval: 1 };

/** Stands in for Postgres: the pushes that are due. Only drains start them, no sweep does. */
class Due {
  readonly #due = new Set<number>();
  #created = 0;
  readonly #turns: readonly number[];
  #reads = 0;

  /** @param readTurns turns of the event loop that each read takes before it looks, and after it has looked */
  constructor(readTurns: readonly number[]) {
    this.#turns = readTurns;
  }

  get left(): number {
    return this.#due.size;
  }

  async create(queues: readonly Queue[]): Promise<void> {
    this.#due.add((this.#created += 1));
    await queues[this.#created % queues.length]?.add([drainJob]);
  }

  /** Reads until a read finds nothing, as a drain does. */
  readonly drain: JobHandler = async () => {
    for (;;) {
      await this.#wait();
      const found = [...this.#due];
      await this.#wait();
      if (found.length === 0) return 'done';
      for (const id of found) this.#due.delete(id);
    }
  };

  async #wait(): Promise<void> {
    await turns(this.#turns[(this.#reads += 1) % this.#turns.length]);
  }
}

const moments = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 30 });

describeWithOwnRedis('pushes that are created at any moment of a drain', (redis) => {
  let queues: RedisQueue[];
  beforeEach(async () => {
    await redis.clear();
    queues = [1, 2, 3].map(() =>
      openBullmqQueue({ redisUrl: redis.url, clock: systemClock, observe: observeNothing }),
    );
    await Promise.all(queues.map(async (queue) => queue.ping(5_000)));
  });
  afterEach(async () => {
    await Promise.all(queues.map(async (queue) => queue.close()));
  });

  async function commands(): Promise<number> {
    const client = new Redis(redis.url, { maxRetriesPerRequest: 1 });
    try {
      const stats = await client.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    } finally {
      client.disconnect();
    }
  }

  it('pushes that are created at any moment are started without a sweep, by any of two workers', async () => {
    await fc.assert(
      fc.asyncProperty(moments, moments, async (createTurns, readTurns) => {
        const due = new Due(readTurns);
        const workers = queues.slice(0, 2).map((queue) => queue.work(due.drain, atATime(4)));
        const creating: Promise<void>[] = [];
        for (const before of createTurns) {
          // Round trips to Redis last as long as the parts of a drain, and of the pause between two.
          for (let left = before; left > 0; left -= 1) await queues[2]?.ping(5_000);
          creating.push(due.create(queues));
        }
        await Promise.all(creating);
        await vi.waitFor(() => expect(due.left).toBe(0), PATIENCE);
        await Promise.all(workers.map(async (worker) => worker.close()));
      }),
      { numRuns: runs(10) },
    );
  });

  it('a push wakes a worker later, where its process closes its queue at that moment', async () => {
    const due = new Due([0]);
    const [working, ...creating] = queues;
    working?.work(due.drain, atATime(4));
    for (const queue of creating) {
      // The first starts at once; the second still waits when the queue closes.
      const created = [due.create([queue]), due.create([queue])];
      await queue.close();
      await Promise.all(created);
    }
    await vi.waitFor(() => expect(due.left).toBe(0), PATIENCE);
  });

  it('pushes cost few commands while thousands are created', async () => {
    const [queue] = queues;
    const due = new Due([0]);
    const before = await commands();
    const startedMs = performance.now();
    const creating: Promise<void>[] = [];
    for (let turn = 0; turn < 500; turn += 1) {
      for (let count = 0; count < 10; count += 1)
        creating.push(due.create(queue === undefined ? [] : [queue]));
      await nextTurn();
    }
    await Promise.all(creating);
    const tookMs = performance.now() - startedMs;
    const cost = (await commands()) - before;
    // Timers are late rather than early, by a millisecond at most; and one drain more is the last.
    expect(cost).toBeLessThanOrEqual(tookMs / (DRAIN_EVERY_MS - 1) + 2);
    expect(cost).toBeGreaterThan(0);
  });
});

it('pushes that are created at any moment of a drain are started without Redis as well', async () => {
  await fc.assert(
    fc.asyncProperty(moments, moments, async (createTurns, readTurns) => {
      const queue = openInProcessQueue({ observe: observeNothing });
      const due = new Due(readTurns);
      queue.work(due.drain, atATime(4));
      for (const before of createTurns) {
        await turns(before);
        void due.create([queue]);
      }
      await vi.waitFor(() => expect(due.left).toBe(0), PATIENCE);
      await queue.close();
    }),
  );
});

async function turns(count = 0): Promise<void> {
  for (let left = count; left > 0; left -= 1) await nextTurn();
}
