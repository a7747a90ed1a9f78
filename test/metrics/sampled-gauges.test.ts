import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openSampledGauges, type Sources } from '../../src/metrics/sampled-gauges.ts';

const POOL = { open: 2, idle: 1, waiting: 0 };
const JOBS = { direct: 1, bulk: 2 };
const WAVES = { lagMs: 0, heldDevices: 3 };
const NEVER = new Promise<never>(() => undefined);

let now: Date;
let queueJobs: ReturnType<typeof vi.fn<Sources['queueJobs']>>;
let lagMs: ReturnType<typeof vi.fn<Sources['lagMs']>>;

beforeEach(() => {
  now = new Date('2026-11-21T12:00:00.000Z');
  queueJobs = vi.fn<Sources['queueJobs']>(async () => JOBS);
  lagMs = vi.fn<Sources['lagMs']>(async () => 7);
});

function open(timeoutMs?: number) {
  return openSampledGauges(
    { clock: () => now, queueJobs, lagMs, waves: async () => WAVES, pool: () => POOL },
    timeoutMs,
  );
}

describe('a sampled gauge', () => {
  test('a sampled gauge is read at most once per second', async () => {
    const read = open();
    expect(await read()).toEqual({ queueJobs: JOBS, lagMs: 7, waves: WAVES, pool: POOL });
    now = new Date(now.getTime() + 999);
    await read();
    expect([queueJobs.mock.calls.length, lagMs.mock.calls.length]).toEqual([1, 1]);
    now = new Date(now.getTime() + 1);
    await read();
    expect([queueJobs.mock.calls.length, lagMs.mock.calls.length]).toEqual([2, 2]);
  });

  test('a sampled gauge is read once for concurrent scrapes', async () => {
    const read = open();
    await Promise.all(Array.from({ length: 5 }, read));
    expect(lagMs).toHaveBeenCalledTimes(1);
  });

  test('a sampled gauge is unknown if reading it fails, and the others are known', async () => {
    queueJobs.mockRejectedValueOnce(new Error('Redis is gone'));
    expect(await open()()).toEqual({ queueJobs: undefined, lagMs: 7, waves: WAVES, pool: POOL });
  });

  test('a sampled gauge is unknown if it does not come in time, and is not read again while that read is open', async () => {
    lagMs.mockReturnValue(NEVER);
    const read = open(10);
    expect(await read()).toEqual({ queueJobs: JOBS, lagMs: undefined, waves: WAVES, pool: POOL });
    now = new Date(now.getTime() + 60_000);
    expect(await read()).toEqual({ queueJobs: JOBS, lagMs: undefined, waves: WAVES, pool: POOL });
    expect(lagMs).toHaveBeenCalledTimes(1);
  });

  test('a sampled gauge is known again once a late read has finished', async () => {
    const late = Promise.withResolvers<number>();
    lagMs.mockReturnValueOnce(late.promise);
    const read = open(10);
    expect(await read()).toMatchObject({ lagMs: undefined });
    late.resolve(9);
    expect(await read()).toMatchObject({ lagMs: 9 });
  });
});
