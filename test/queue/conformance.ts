/** What `queue.ts` promises, asked of every implementation. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Observation, Observe } from '../../src/observe.ts';
import type { Job, JobHandler, JobResult, Queue, WorkOptions } from '../../src/queue/queue.ts';

const ONE_AT_A_TIME: WorkOptions = { concurrency: { direct: 1, bulk: 1 } };
const EIGHT_AT_A_TIME: WorkOptions = { concurrency: { direct: 8, bulk: 8 } };
const PATIENCE = { timeout: 15_000, interval: 5 };

export function jobOf(notificationId: string, change: Partial<Job> = {}): Job {
  return {
    lane: 'bulk',
    kind: 'deliver',
    appId: 'app',
    notificationId,
    requestId: 'request',
    bell: 0,
    ...change,
  };
}

/** A handler that notes what it ran, for how many runs of it to wait. */
export function noting(
  handle: (job: Job, signal: AbortSignal, giveWay: () => void) => JobResult | Promise<JobResult>,
) {
  const ran: Job[] = [];
  const handler: JobHandler = async (job, signal, giveWay) => {
    ran.push(job);
    return handle(job, signal, giveWay);
  };
  return {
    handler,
    ran,
    names: () => ran.map((job) => job.notificationId),
    runs: (count: number) => vi.waitFor(() => expect(ran.length).toBeGreaterThanOrEqual(count), PATIENCE),
  };
}

export function queueConformance(open: (observe: Observe) => Queue, clear: () => Promise<void>): void {
  let queue: Queue;
  let observed: Observation[];

  beforeEach(async () => {
    await clear();
    observed = [];
    queue = open((observation) => observed.push(observation));
  });
  afterEach(() => queue.close());

  /** Waits until the lane has nothing left that was rung before; with one job at a time, in order. */
  async function laneIsIdle(ran: readonly Job[]): Promise<void> {
    await queue.add([jobOf('last')]);
    await vi.waitFor(() => expect(ran.at(-1)?.notificationId).toBe('last'), PATIENCE);
    await vi.waitFor(async () => expect(await queue.depth()).toEqual({ direct: 0, bulk: 0 }), PATIENCE);
  }

  describe('add', () => {
    it('hands every one of 1,000 jobs to the handler, as it was rung', async () => {
      const jobs = Array.from({ length: 1_000 }, (_, index) =>
        jobOf(`n${index}`, { lane: index % 2 === 0 ? 'direct' : 'bulk', bell: index }),
      );
      const { handler, ran, runs } = noting(() => 'done');
      queue.work(handler, EIGHT_AT_A_TIME);
      await queue.add(jobs);
      await runs(1_000);
      expect(ran.toSorted((a, b) => a.bell - b.bell)).toEqual(jobs);
    });

    it('runs the jobs of a lane in the order they were rung', async () => {
      const { handler, names, runs } = noting(() => 'done');
      await queue.add([jobOf('a'), jobOf('b')]);
      await queue.add([jobOf('c')]);
      queue.work(handler, ONE_AT_A_TIME);
      await runs(3);
      expect(names()).toEqual(['a', 'b', 'c']);
    });

    it('does not add a job that is equal to a waiting one', async () => {
      const { handler, ran, names } = noting(() => 'done');
      await queue.add([jobOf('a'), jobOf('a')]);
      await queue.add([jobOf('a')]);
      expect(await queue.depth()).toEqual({ direct: 0, bulk: 1 });
      queue.work(handler, ONE_AT_A_TIME);
      await laneIsIdle(ran);
      expect(names()).toEqual(['a', 'last']);
    });

    it('leaves a waiting job that is rung again in its place', async () => {
      const { handler, names, runs } = noting(() => 'done');
      await queue.add([jobOf('a'), jobOf('b')]);
      await queue.add([jobOf('a')]);
      queue.work(handler, ONE_AT_A_TIME);
      await runs(2);
      expect(names()).toEqual(['a', 'b']);
    });

    it('takes jobs that differ in anything for different ones', async () => {
      const jobs = [
        jobOf('a'),
        jobOf('b'),
        jobOf('a', { appId: 'other' }),
        jobOf('a', { kind: 'plan' }),
        jobOf('a', { bell: 1 }),
        jobOf('a', { lane: 'direct' }),
      ];
      await queue.add(jobs);
      expect(await queue.depth()).toEqual({ direct: 1, bulk: 5 });
    });

    it('starts no handler before it has returned', async () => {
      const { handler, ran, runs } = noting(() => 'done');
      queue.work(handler, EIGHT_AT_A_TIME);
      const added = queue.add([jobOf('a')]);
      expect(ran).toEqual([]);
      await added;
      await runs(1);
    });

    it('takes no job any more once the queue is closed', async () => {
      await queue.close();
      await expect(queue.add([jobOf('a')])).rejects.toThrow();
      await expect(queue.ping(1_000)).rejects.toThrow();
    });
  });

  describe('work', () => {
    it('runs as many jobs of a lane at once as it may, and no more', async () => {
      const gate = Promise.withResolvers<JobResult>();
      const { handler, ran, runs } = noting(() => gate.promise);
      queue.work(handler, { concurrency: { direct: 1, bulk: 3 } });
      await queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => jobOf(name)));
      await runs(3);
      await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(2), PATIENCE);
      expect(ran).toHaveLength(3);
      gate.resolve('done');
      await runs(5);
    });

    it('never lets one lane block the other', async () => {
      const gate = Promise.withResolvers<JobResult>();
      const { handler, names, runs } = noting((job) => (job.lane === 'bulk' ? gate.promise : 'done'));
      queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('broadcast'), jobOf('next broadcast')]);
      await runs(1);
      await queue.add([jobOf('waited for', { lane: 'direct' })]);
      await runs(2);
      expect(names()).toEqual(['broadcast', 'waited for']);
      gate.resolve('done');
      await runs(3);
    });

    it('observes a handler that throws, drops its job and goes on', async () => {
      const error = new Error('out of luck');
      const { handler, ran, names } = noting((job) => {
        if (job.notificationId === 'a') throw error;
        return 'done';
      });
      queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b')]);
      await laneIsIdle(ran);
      expect(names()).toEqual(['a', 'b', 'last']);
      const of = { notificationId: 'a', requestId: 'request' };
      expect(observed).toEqual([{ kind: 'job_failed', job: 'deliver', ...of, error }]);
    });
  });

  describe('a job that gives way', () => {
    it('lets one other begin in its place, and is waited for at the close all the same', async () => {
      const gate = Promise.withResolvers<JobResult>();
      const { handler, names, runs } = noting((job, _signal, giveWay) => {
        if (job.notificationId === 'a') {
          giveWay();
          giveWay();
        }
        return gate.promise;
      });
      const worker = queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b'), jobOf('c')]);
      await runs(2);
      await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(1), PATIENCE);
      expect(names()).toEqual(['a', 'b']);
      const order: string[] = [];
      const closing = worker.close().finally(() => order.push('closed'));
      await queue.ping(2_000);
      order.push('jobs end');
      gate.resolve('done');
      await closing;
      expect(order).toEqual(['jobs end', 'closed']);
    });

    it('takes its place with it where it ends before it does so', async () => {
      const late: (() => void)[] = [];
      const gate = Promise.withResolvers<JobResult>();
      const { handler, names, runs } = noting((job, _signal, giveWay) => {
        late.push(giveWay);
        return job.notificationId === 'a' ? 'done' : gate.promise;
      });
      queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b'), jobOf('c')]);
      await runs(2);
      late[0]?.();
      await queue.ping(2_000);
      await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(1), PATIENCE);
      expect(names()).toEqual(['a', 'b']);
      gate.resolve('done');
      await runs(3);
    });

    it('makes room within bounds: no more than three jobs to a place, until one ends', async () => {
      const gates = new Map<string, PromiseWithResolvers<JobResult>>();
      const { handler, names, runs } = noting((job, _signal, giveWay) => {
        const gate = Promise.withResolvers<JobResult>();
        gates.set(job.notificationId, gate);
        giveWay();
        return gate.promise;
      });
      queue.work(handler, { concurrency: { direct: 1, bulk: 2 } });
      await queue.add(Array.from('abcdefgh', (name) => jobOf(name)));
      await runs(6);
      await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(2), PATIENCE);
      expect(names().join('')).toBe('abcdef');
      gates.get('d')?.resolve('done');
      await runs(7);
      expect((await queue.depth()).bulk).toBe(1);
      for (const { resolve } of gates.values()) resolve('done');
      await runs(8);
      gates.get('h')?.resolve('done');
    });
  });

  describe('again', () => {
    it('lets notifications take turns', async () => {
      const { handler, names, runs } = noting((job) => (job.notificationId === 'c' ? 'done' : 'again'));
      await queue.add([jobOf('a'), jobOf('b'), jobOf('c')]);
      const worker = queue.work(handler, ONE_AT_A_TIME);
      await runs(7);
      await worker.close();
      expect(names().slice(0, 7)).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'b']);
    });
  });

  describe('a ring for a job that runs', () => {
    const endings: { ending: string; end: () => JobResult }[] = [
      { ending: 'is done', end: () => 'done' },
      { ending: 'asks for again', end: () => 'again' },
      {
        ending: 'throws',
        end: () => {
          throw new Error('out of luck');
        },
      },
    ];
    it.each(endings)('leads to one more run, however many come, when it $ending', async ({ end }) => {
      const gate = Promise.withResolvers<void>();
      const { handler, ran, names, runs } = noting(async (job) => {
        if (job.notificationId === 'last' || ran.length > 1) return 'done';
        await gate.promise;
        return end();
      });
      queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a')]);
      await runs(1);
      await queue.add([jobOf('a'), jobOf('a')]);
      await queue.add([jobOf('a')]);
      expect(ran).toHaveLength(1);
      gate.resolve();
      await runs(2);
      await laneIsIdle(ran);
      expect(names()).toEqual(['a', 'a', 'last']);
    });

    it('is followed by a run that begins after it, whatever comes in whatever order', async () => {
      const rings = fc.array(
        fc.record({ name: fc.constantFrom('a', 'b', 'c'), turnsBefore: fc.nat({ max: 6 }) }),
        { minLength: 1, maxLength: 25 },
      );
      const runTurns = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(rings, runTurns, async (script, turns) => {
          let moment = 0;
          const begun = new Map<string, number>();
          const running = new Set<string>();
          let overlapped = false;
          const worker = queue.work(async ({ notificationId }) => {
            overlapped ||= running.has(notificationId);
            running.add(notificationId);
            moment += 1;
            begun.set(notificationId, moment);
            for (let left = turns[moment % turns.length] ?? 0; left > 0; left -= 1) await nextTurn();
            running.delete(notificationId);
            return moment % 7 === 0 ? 'again' : 'done';
          }, EIGHT_AT_A_TIME);
          const rungAt = new Map<string, number>();
          for (const { name, turnsBefore } of script) {
            for (let left = turnsBefore; left > 0; left -= 1) await nextTurn();
            moment += 1;
            rungAt.set(name, moment);
            await queue.add([jobOf(name)]);
          }
          await vi.waitFor(() => {
            for (const [name, at] of rungAt) expect(begun.get(name)).toBeGreaterThan(at);
          }, PATIENCE);
          await worker.close();
          expect(overlapped).toBe(false);
        }),
        { numRuns: 15 },
      );
    });
  });

  describe('closing a worker', () => {
    it('aborts the signal, waits for what runs and takes no further job', async () => {
      const gate = Promise.withResolvers<JobResult>();
      const aborted = Promise.withResolvers<void>();
      const { handler, ran, runs } = noting((_job, signal) => {
        signal.addEventListener('abort', () => aborted.resolve());
        return gate.promise;
      });
      const worker = queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b')]);
      await runs(1);
      const order: string[] = [];
      const closing = worker.close().finally(() => order.push('closed'));
      await aborted.promise;
      await queue.ping(2_000);
      order.push('job ends');
      gate.resolve('done');
      await closing;
      expect(order).toEqual(['job ends', 'closed']);
      expect(ran).toHaveLength(1);
      expect((await queue.depth()).bulk).toBe(1);
    });

    it('leaves what waits, and what asked for again, to the next worker', async () => {
      const first = noting(async (_job, signal): Promise<JobResult> => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return 'again';
      });
      const worker = queue.work(first.handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a'), jobOf('b')]);
      await first.runs(1);
      await worker.close();
      const second = noting(() => 'done');
      queue.work(second.handler, ONE_AT_A_TIME);
      await second.runs(2);
      expect(second.names()).toEqual(['b', 'a']);
    });

    it('may be done twice, and closing the queue does it too', async () => {
      const { handler, ran, runs } = noting(
        (_job, signal) =>
          new Promise<JobResult>((resolve) => signal.addEventListener('abort', () => resolve('done'))),
      );
      const worker = queue.work(handler, ONE_AT_A_TIME);
      await queue.add([jobOf('a')]);
      await runs(1);
      await queue.close();
      await worker.close();
      expect(ran).toHaveLength(1);
    });
  });

  it('answers a ping', async () => {
    await expect(queue.ping(2_000)).resolves.toBeUndefined();
  });
}
