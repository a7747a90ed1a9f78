/**
 * The queue of a process that works alone: no Redis, nothing outlives the process. What was rung and not
 * heard when it ends is rung again by `delivery/recover` at the next start.
 *
 * A job is in one of two places of its lane: `waiting` (in order) or `running`. A ring for a waiting job changes
 * nothing; one for a running job makes it wait again once it has run, as its handler's `again` does.
 */
import type { Observe } from '../observe.ts';
import { jobKey, queueLanes, runJob } from './job.ts';
import { type Place, Places } from './slots.ts';
import type { Job, JobHandler, Queue, QueueLane, Worker, WorkOptions } from './queue.ts';

interface Lane {
  waiting: Map<string, Job>;
  running: Map<string, { rungMeanwhile: boolean }>;
}

interface Crew {
  handler: JobHandler;
  places: Readonly<Record<QueueLane, Places>>;
  stop: AbortController;
  running: Set<Promise<void>>;
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
    startSoon();
  }

  /** In a turn of their own: never inside add(), and a handler that asks for `again` at once keeps no socket waiting. */
  function startSoon(): void {
    nextTurn ??= setImmediate(startJobs);
  }

  function startJobs(): void {
    nextTurn = undefined;
    for (const crew of crews.values()) {
      for (const name of queueLanes) startLane(crew, name);
    }
  }

  function startLane(crew: Crew, name: QueueLane): void {
    const places = crew.places[name];
    for (const [key, job] of lanes[name].waiting) {
      if (crew.stop.signal.aborted || !places.isFree) return;
      lanes[name].waiting.delete(key);
      const place = places.take();
      const run: Promise<void> = runOne(crew, job, place).finally(() => {
        crew.running.delete(run);
        place.leave();
      });
      crew.running.add(run);
    }
  }

  async function runOne(crew: Crew, job: Job, { giveWay }: Place): Promise<void> {
    const { running } = lanes[job.lane];
    const key = jobKey(job);
    const state = { rungMeanwhile: false };
    running.set(key, state);
    const result = await runJob(job, crew.handler, { signal: crew.stop.signal, giveWay }, observe);
    running.delete(key);
    if (!closed && (result === 'again' || state.rungMeanwhile)) wait(job);
  }

  const queue: Queue = {
    add: async (jobs) => {
      refuseIfClosed();
      for (const job of jobs) ring(job);
    },
    work: (handler, { concurrency }: WorkOptions) => {
      refuseIfClosed();
      const crew: Crew = {
        handler,
        places: {
          direct: new Places(concurrency.direct, startSoon),
          bulk: new Places(concurrency.bulk, startSoon),
        },
        stop: new AbortController(),
        running: new Set(),
      };
      const worker: Worker = {
        close: async () => {
          crew.stop.abort();
          await Promise.all(crew.running);
          crews.delete(worker);
        },
      };
      crews.set(worker, crew);
      startSoon();
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
