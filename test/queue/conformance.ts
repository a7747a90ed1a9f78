/** Tests of the promises of `queue.ts`, run against every implementation. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Observation, Observe } from '../../src/observe.ts';
import { type DeliverJob, drainJob, type Job, type JobHandler, type JobResult } from '../../src/queue/job.ts';
import type { Queue, WorkOptions } from '../../src/queue/queue.ts';
import { Slots } from '../../src/queue/slots.ts';

const PATIENCE = { timeout: 30_000, interval: 5 };

/** @param bulk jobs of the bulk lane at a time */
export function atATime(bulk: number, direct = bulk): WorkOptions {
  return { slots: { direct: new Slots(direct), bulk: new Slots(bulk) } };
}

export function jobOf(notificationId: string, change: Partial<DeliverJob> = {}): DeliverJob {
  return {
    lane: 'bulk',
    kind: 'deliver',
    appId: 'app',
    notificationId,
    requestId: 'request',
    number: 0,
    ...change,
  };
}

/** A handler that records the jobs it ran; `runs(count)` waits for that many. */
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
    names: () => ran.map(nameOf),
    runs: (count: number) => vi.waitFor(() => expect(ran.length).toBeGreaterThanOrEqual(count), PATIENCE),
  };
}

export function nameOf(job: Job): string {
  return job.kind === 'drain' ? 'drain' : job.notificationId;
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

  /** Waits until the lane is empty, for a worker that runs one job at a time, in order. */
  async function laneIsIdle(ran: readonly Job[]): Promise<void> {
    await queue.add([jobOf('last')]);
    await vi.waitFor(() => expect(ran.map(nameOf).at(-1)).toBe('last'), PATIENCE);
    await vi.waitFor(async () => expect(await queue.depth()).toEqual({ direct: 0, bulk: 0 }), PATIENCE);
  }

  it('the queue hands every one of 1,000 jobs to the handler, as it was added', async () => {
    const jobs = Array.from({ length: 1_000 }, (_, index) => jobOf(`n${index}`, { number: index }));
    const { handler, ran, names, runs } = noting(() => 'done');
    await queue.add(jobs);
    queue.work(handler, atATime(8));
    await runs(1_000);
    expect(new Set(names())).toEqual(new Set(jobs.map(nameOf)));
    expect(ran.find((job) => nameOf(job) === 'n500')).toEqual(jobs[500]);
  });

  it('the queue runs the jobs of a lane in the order in which they were added', async () => {
    const { handler, names, runs } = noting(() => 'done');
    await queue.add([jobOf('a'), jobOf('b')]);
    await queue.add([jobOf('c')]);
    queue.work(handler, atATime(1));
    await runs(3);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('the queue does not add a job that is equal to a waiting one', async () => {
    const { handler, ran, names } = noting(() => 'done');
    await queue.add([jobOf('a'), jobOf('a')]);
    await queue.add([jobOf('a')]);
    expect(await queue.depth()).toEqual({ direct: 0, bulk: 1 });
    queue.work(handler, atATime(1));
    await laneIsIdle(ran);
    expect(names()).toEqual(['a', 'last']);
  });

  it('the queue leaves a waiting job that is added again at its position', async () => {
    const { handler, names, runs } = noting(() => 'done');
    await queue.add([jobOf('a'), jobOf('b')]);
    await queue.add([jobOf('a')]);
    queue.work(handler, atATime(1));
    await runs(2);
    expect(names()).toEqual(['a', 'b']);
  });

  it('the queue treats jobs that differ in anything as different jobs', async () => {
    const jobs = [
      jobOf('a'),
      jobOf('b'),
      jobOf('a', { appId: 'other' }),
      jobOf('a', { number: 1 }),
      drainJob,
    ];
    await queue.add(jobs);
    expect(await queue.depth()).toEqual({ direct: 1, bulk: 4 });
  });

  it('an addition starts no handler before it has returned', async () => {
    const { handler, ran, runs } = noting(() => 'done');
    queue.work(handler, atATime(8));
    const added = queue.add([jobOf('a')]);
    expect(ran).toEqual([]);
    await added;
    await runs(1);
  });

  it('the queue takes no job after it is closed', async () => {
    await queue.close();
    await expect(queue.add([jobOf('a')])).rejects.toThrow();
    await expect(queue.ping(1_000)).rejects.toThrow();
  });

  it('a worker runs as many jobs of a lane at once as there are slots, and no more', async () => {
    const gate = Promise.withResolvers<JobResult>();
    const { handler, ran, runs } = noting(() => gate.promise);
    queue.work(handler, atATime(3, 1));
    await queue.add(['a', 'b', 'c', 'd', 'e'].map((name) => jobOf(name)));
    await runs(3);
    await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(2), PATIENCE);
    expect(ran).toHaveLength(3);
    gate.resolve('done');
    await runs(5);
  });

  it('a worker never lets one lane block the other', async () => {
    const gate = Promise.withResolvers<JobResult>();
    const { handler, names, runs } = noting((job) => (job.lane === 'bulk' ? gate.promise : 'done'));
    queue.work(handler, atATime(1));
    await queue.add([jobOf('bulk'), jobOf('next bulk')]);
    await runs(1);
    await queue.add([drainJob]);
    await runs(2);
    expect(names()).toEqual(['bulk', 'drain']);
    gate.resolve('done');
    await runs(3);
  });

  it('a worker observes a handler that throws, drops its job and continues', async () => {
    const error = new Error('out of luck');
    const { handler, ran, names } = noting((job) => {
      if (nameOf(job) === 'a') throw error;
      return 'done';
    });
    queue.work(handler, atATime(1));
    await queue.add([jobOf('a'), jobOf('b')]);
    await laneIsIdle(ran);
    expect(names()).toEqual(['a', 'b', 'last']);
    const of = { notificationId: 'a', requestId: 'request' };
    expect(observed).toEqual([{ kind: 'job_failed', job: 'deliver', ...of, error }]);
  });

  it('a job that gives way lets another start in its slot, and a closing worker still waits for it', async () => {
    const gate = Promise.withResolvers<JobResult>();
    const { handler, names, runs } = noting((job, _signal, giveWay) => {
      if (nameOf(job) === 'a') {
        giveWay();
        giveWay();
      }
      return gate.promise;
    });
    const worker = queue.work(handler, atATime(1));
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

  it('a job that gives way after its end frees no second slot', async () => {
    const late: (() => void)[] = [];
    const gate = Promise.withResolvers<JobResult>();
    const { handler, names, runs } = noting((job, _signal, giveWay) => {
      late.push(giveWay);
      return nameOf(job) === 'a' ? 'done' : gate.promise;
    });
    queue.work(handler, atATime(1));
    await queue.add([jobOf('a'), jobOf('b'), jobOf('c')]);
    await runs(2);
    late[0]?.();
    await queue.ping(2_000);
    await vi.waitFor(async () => expect((await queue.depth()).bulk).toBe(1), PATIENCE);
    expect(names()).toEqual(['a', 'b']);
    gate.resolve('done');
    await runs(3);
  });

  it('jobs that give way let at most three per slot run, until one ends', async () => {
    const gates = new Map<string, PromiseWithResolvers<JobResult>>();
    const { handler, names, runs } = noting((job, _signal, giveWay) => {
      const gate = Promise.withResolvers<JobResult>();
      gates.set(nameOf(job), gate);
      giveWay();
      return gate.promise;
    });
    queue.work(handler, atATime(2, 1));
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

  it('a job that asks for another run lets other notifications take turns', async () => {
    const { handler, names, runs } = noting((job) => (nameOf(job) === 'c' ? 'done' : 'again'));
    await queue.add([jobOf('a'), jobOf('b'), jobOf('c')]);
    const worker = queue.work(handler, atATime(1));
    await runs(7);
    await worker.close();
    expect(names().slice(0, 7)).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'b']);
  });

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
  it.each(endings)(
    'a job that is added while it runs runs once more, however often it was added, when it $ending',
    async ({ end }) => {
      const gate = Promise.withResolvers<void>();
      const { handler, ran, names, runs } = noting(async (job) => {
        if (nameOf(job) === 'last' || ran.length > 1) return 'done';
        await gate.promise;
        return end();
      });
      queue.work(handler, atATime(1));
      await queue.add([jobOf('a')]);
      await runs(1);
      await queue.add([jobOf('a'), jobOf('a')]);
      await queue.add([jobOf('a')]);
      expect(ran).toHaveLength(1);
      gate.resolve();
      await runs(2);
      await laneIsIdle(ran);
      expect(names()).toEqual(['a', 'a', 'last']);
    },
  );

  it('a job runs again after each addition, whatever the order of additions and ends', async () => {
    const additions = fc.array(
      fc.record({ name: fc.constantFrom('a', 'b', 'c'), turnsBefore: fc.nat({ max: 6 }) }),
      { minLength: 1, maxLength: 25 },
    );
    const runTurns = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(additions, runTurns, async (script, turns) => {
        let moment = 0;
        const begun = new Map<string, number>();
        const running = new Set<string>();
        let overlapped = false;
        const worker = queue.work(async (job) => {
          const notificationId = nameOf(job);
          overlapped ||= running.has(notificationId);
          running.add(notificationId);
          moment += 1;
          begun.set(notificationId, moment);
          for (let left = turns[moment % turns.length] ?? 0; left > 0; left -= 1) await nextTurn();
          running.delete(notificationId);
          return moment % 7 === 0 ? 'again' : 'done';
        }, atATime(8));
        const addedAt = new Map<string, number>();
        for (const { name, turnsBefore } of script) {
          for (let left = turnsBefore; left > 0; left -= 1) await nextTurn();
          moment += 1;
          addedAt.set(name, moment);
          await queue.add([jobOf(name)]);
        }
        await vi.waitFor(() => {
          for (const [name, at] of addedAt) expect(begun.get(name)).toBeGreaterThan(at);
        }, PATIENCE);
        await worker.close();
        expect(overlapped).toBe(false);
      }),
      { numRuns: 15 },
    );
  });

  it('a closing worker aborts the signal, waits for running jobs and takes no further job', async () => {
    const gate = Promise.withResolvers<JobResult>();
    const aborted = Promise.withResolvers<void>();
    const { handler, ran, runs } = noting((_job, signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return gate.promise;
    });
    const worker = queue.work(handler, atATime(1));
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

  it('a closing worker leaves waiting jobs, and jobs that asked for another run, to the next worker', async () => {
    const first = noting(async (_job, signal): Promise<JobResult> => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'again';
    });
    const worker = queue.work(first.handler, atATime(1));
    await queue.add([jobOf('a'), jobOf('b')]);
    await first.runs(1);
    await worker.close();
    const second = noting(() => 'done');
    queue.work(second.handler, atATime(1));
    await second.runs(2);
    expect(second.names()).toEqual(['b', 'a']);
  });

  it('a worker may be closed twice, and closing the queue closes its workers', async () => {
    const { handler, ran, runs } = noting(
      (_job, signal) =>
        new Promise<JobResult>((resolve) => signal.addEventListener('abort', () => resolve('done'))),
    );
    const worker = queue.work(handler, atATime(1));
    await queue.add([jobOf('a')]);
    await runs(1);
    await queue.close();
    await worker.close();
    expect(ran).toHaveLength(1);
  });

  it('the queue answers a ping', async () => {
    await expect(queue.ping(2_000)).resolves.toBeUndefined();
  });
}
