import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Observation } from '../../src/observe.ts';
import type { PeriodicJob } from '../../src/scheduling/periodically.ts';
import { openBullmqQueue, type RedisQueue } from '../../src/queue/bullmq-queue.ts';
import { startPeriodicJobs } from '../../src/queue/periodic-jobs.ts';
import { describeWithOwnRedis } from '../support/redis.ts';

const PATIENCE = { timeout: 30_000, interval: 10 };
/** BullMQ waits in whole seconds, so with Redis a job runs every second. */
const EVERY_MS = 200;
const HALF_AN_HOUR_MS = 30 * 60_000;

/** What BullMQ leaves then: the run is active under a lock, which outlasts the test, and no other run waits. */
const TAKEN_BY_THE_DEAD = `
  local queue = '{carillon}:periodic:'
  local id = redis.call('ZRANGE', queue .. 'delayed', 0, 0)[1]
  if not id then return 0 end
  redis.call('ZREM', queue .. 'delayed', id)
  redis.call('LPUSH', queue .. 'active', id)
  redis.call('SET', queue .. id .. ':lock', 'dead', 'PX', 60000)
  return 1`;

let observed: Observation[];
let opened: { close(): Promise<void> }[];

beforeEach(() => {
  observed = [];
  opened = [];
});
afterEach(async () => {
  for (const resource of opened.toReversed()) await resource.close();
});

function start(jobs: readonly PeriodicJob[], redis?: RedisQueue): { close(): Promise<void> } {
  const running = startPeriodicJobs(jobs, (observation) => observed.push(observation), redis);
  opened.push(running);
  return running;
}

function counting(name: string, everyMs = EVERY_MS) {
  const job = { name, everyMs, runs: 0, run: async () => void (job.runs += 1) };
  return job;
}

it('periodic jobs without Redis run at the start and at their interval, each on its own', async () => {
  const quick = counting('quick');
  const slow = counting('slow', 60_000);
  start([quick, slow]);
  await vi.waitFor(() => expect(quick.runs).toBeGreaterThan(2), PATIENCE);
  expect(slow.runs).toBe(1);
});

it('periodic jobs without Redis report a failure under their name and run again', async () => {
  const failing = { ...counting('failing'), run: async () => Promise.reject(new Error('out of luck')) };
  start([failing]);
  await vi.waitFor(() => expect(observed.length).toBeGreaterThan(1), PATIENCE);
  expect(observed[0]).toEqual({ kind: 'database_error', message: 'failing: out of luck' });
});

it('periodic jobs without Redis are stopped by an abort, and waited for, when they are closed', async () => {
  const order: string[] = [];
  const run = async (stop: AbortSignal): Promise<void> => {
    await new Promise((resolve) => stop.addEventListener('abort', resolve));
    order.push('stopped');
  };
  const running = start([{ name: 'long', everyMs: 60_000, run }]);
  await running.close();
  order.push('closed');
  expect(order).toEqual(['stopped', 'closed']);
});

describeWithOwnRedis('periodic jobs with Redis', (redis) => {
  function openQueue(): RedisQueue {
    const queue = openBullmqQueue({
      redisUrl: redis.url,
      clock: systemClock,
      observe: (observation) => observed.push(observation),
    });
    opened.push(queue);
    return queue;
  }

  async function flush(): Promise<void> {
    const client = new Redis(redis.url);
    await client.flushall().finally(() => client.disconnect());
  }
  beforeEach(flush);

  it('periodic jobs run in one process at each interval', async () => {
    const moments: number[] = [];
    const run = async (): Promise<void> => void moments.push(performance.now());
    const jobs = [{ name: 'shared', everyMs: 1_000, run }];
    const startedMs = performance.now();
    for (let process = 0; process < 3; process++) start(jobs, openQueue());
    await vi.waitFor(() => expect(moments.length).toBeGreaterThanOrEqual(4), PATIENCE);
    const intervals = (performance.now() - startedMs) / 1_000;
    expect(moments.length).toBeLessThan(intervals + 3);
  });

  it('periodic jobs go on in another process when one is closed', async () => {
    const here = counting('shared');
    const there = counting('shared');
    const first = start([here], openQueue());
    await vi.waitFor(() => expect(here.runs).toBeGreaterThan(0), PATIENCE);
    start([there], openQueue());
    await first.close();
    await vi.waitFor(() => expect(there.runs).toBeGreaterThan(1), PATIENCE);
  });

  it('a periodic job does not run twice at once in a process, however long a run takes', async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const run = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
    };
    const other = counting('other');
    start([{ name: 'long', everyMs: EVERY_MS, run }, other], openQueue());
    await vi.waitFor(() => expect(other.runs).toBeGreaterThan(2), PATIENCE);
    gate.resolve();
    expect(most).toBe(1);
  });

  it('periodic jobs are scheduled again after Redis was flushed', async () => {
    const job = counting('sweep');
    start([job], openQueue());
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(0), PATIENCE);
    await flush();
    const before = job.runs;
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(before + 1), PATIENCE);
  });

  it('periodic jobs go on when a worker has died between taking a run and scheduling the next', async () => {
    const job = counting('sweep');
    start([job], openQueue());
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(0), PATIENCE);
    const client = new Redis(redis.url);
    await vi.waitFor(async () => expect(await client.eval(TAKEN_BY_THE_DEAD, 0)).toBe(1), PATIENCE);
    client.disconnect();
    const before = job.runs; // one of these may still be going on
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(before + 2), PATIENCE);
  });

  it('periodic jobs go on when the clock has been set back', async () => {
    const job = counting('sweep');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HALF_AN_HOUR_MS });
    try {
      start([job], openQueue());
      await vi.waitFor(() => expect(job.runs).toBeGreaterThan(1), PATIENCE);
    } finally {
      vi.useRealTimers();
    }
    const before = job.runs; // one of these may still be going on
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(before + 2), PATIENCE);
  });

  it('periodic jobs run on timers of the process while Redis is away, and by the schedule afterwards', async () => {
    const job = counting('sweep');
    const queue = openQueue();
    start([job], queue);
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(0), PATIENCE);
    await redis.kill();
    try {
      await vi.waitFor(() => expect(queue.isAway).toBe(true), PATIENCE);
      const before = job.runs;
      await vi.waitFor(() => expect(job.runs).toBeGreaterThan(before + 1), PATIENCE);
    } finally {
      await redis.restart();
    }
    await vi.waitFor(() => expect(queue.isAway).toBe(false), PATIENCE);
    const before = job.runs;
    await vi.waitFor(() => expect(job.runs).toBeGreaterThan(before + 1), PATIENCE);
    expect(observed.map(({ kind }) => kind)).toEqual(['queue_away', 'queue_back']);
  });

  it('periodic jobs close where Redis was never there', async () => {
    await redis.kill();
    try {
      await start([counting('sweep')], openQueue()).close();
    } finally {
      await redis.restart();
    }
  });
});
