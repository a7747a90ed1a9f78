/**
 * The queue of a process that works alone: no Redis, nothing outlives the process. What was rung and not
 * heard when it ends is rung again by `delivery/recover` at the next start.
 *
 * A job is in one of two places of its lane: `waiting` (in order) or `running`. A ring for a waiting job changes
 * nothing; one for a running job makes it wait again once it has run, as its handler's `again` does.
 */
import type { Observe } from '../observe.ts';
import { jobKey, queueLanes, runJob } from './job.ts';
import type { Job, JobHandler, Queue, QueueLane, Worker, WorkOptions } from './queue.ts';

interface Lane {
  waiting: Map<string, Job>;
  running: Map<string, { rungMeanwhile: boolean }>;
}

interface Crew {
  handler: JobHandler;
  concurrency: Readonly<Record<QueueLane, number>>;
  stop: AbortController;
  running: Record<QueueLane, Set<Promise<void>>>;
}

/** Opens a queue inside this process. */
export function openInProcessQueue({ observe }: { observe: Observe }): Queue {
  const lanes: Record<QueueLane, Lane> = { direct: openLane(), bulk: openLane() };
  const crews = new Map<Worker, Crew>();
  let nextTurn: NodeJS.Immediate | undefined;
  let closed = false;

  function ring(job: Job): void {
    const lane = lanes[job.lane];
    const key = jobKey(job);
    const running = lane.running.get(key);
    if (running !== undefined) running.rungMeanwhile = true;
    else if (!lane.waiting.has(key)) wait(job);
  }

  function wait(job: Job): void {
    lanes[job.lane].waiting.set(jobKey(job), job);
    // Handlers start in a turn of their own: never inside add(), and a handler that asks for `again` at once
    // does not keep sockets and timers from their turn.
    nextTurn ??= setImmediate(startJobs);
  }

  function startJobs(): void {
    nextTurn = undefined;
    for (const crew of crews.values()) {
      for (const name of queueLanes) startLane(crew, name);
    }
  }

  function startLane(crew: Crew, name: QueueLane): void {
    const running = crew.running[name];
    for (const [key, job] of lanes[name].waiting) {
      if (crew.stop.signal.aborted || running.size >= crew.concurrency[name]) return;
      lanes[name].waiting.delete(key);
      const run: Promise<void> = runOne(crew, job).finally(() => {
        running.delete(run);
        nextTurn ??= setImmediate(startJobs);
      });
      running.add(run);
    }
  }

  async function runOne(crew: Crew, job: Job): Promise<void> {
    const { running } = lanes[job.lane];
    const key = jobKey(job);
    const state = { rungMeanwhile: false };
    running.set(key, state);
    const result = await runJob(job, crew.handler, crew.stop.signal, observe);
    running.delete(key);
    if (!closed && (result === 'again' || state.rungMeanwhile)) wait(job);
  }

  const queue: Queue = {
    add: async (jobs) => {
      refuseIfClosed();
      for (const job of jobs) ring(job);
    },
    work: (handler, options: WorkOptions) => {
      refuseIfClosed();
      const crew: Crew = {
        handler,
        concurrency: options.concurrency,
        stop: new AbortController(),
        running: { direct: new Set(), bulk: new Set() },
      };
      const worker: Worker = {
        close: async () => {
          crew.stop.abort();
          await Promise.all([...crew.running.direct, ...crew.running.bulk]);
          crews.delete(worker);
        },
      };
      crews.set(worker, crew);
      nextTurn ??= setImmediate(startJobs);
      return worker;
    },
    depth: async () => ({ direct: lanes.direct.waiting.size, bulk: lanes.bulk.waiting.size }),
    ping: async () => {
      refuseIfClosed();
    },
    close: async () => {
      closed = true;
      for (const lane of Object.values(lanes)) lane.waiting.clear();
      await Promise.all([...crews.keys()].map((worker) => worker.close()));
      clearImmediate(nextTurn);
    },
  };

  function refuseIfClosed(): void {
    if (closed) throw new Error('The queue is closed');
  }

  return queue;
}

function openLane(): Lane {
  return { waiting: new Map(), running: new Map() };
}
