/**
 * The queue of a process that works alone, without Redis. It ends with the process: at the next start the sweep finds
 * what was queued.
 *
 * A job is `waiting` (in order) or `running` in its lane. Adding a waiting job changes nothing; a running one that is
 * added, or whose handler asks for `again`, waits again once it has run.
 */
import type { Observe } from '../observe.ts';
import { type Job, type JobHandler, jobKey, type QueueLane, queueLanes, runJob } from './job.ts';
import type { Slot, Slots } from './slots.ts';
import type { Queue, Worker, WorkOptions } from './queue.ts';

interface Lane {
  waiting: Map<string, Job>;
  running: Map<string, { addedMeanwhile: boolean }>;
}

interface Crew {
  handler: JobHandler;
  slots: Readonly<Record<QueueLane, Slots>>;
  stop: AbortController;
  running: Set<Promise<void>>;
}

/** Opens a queue inside this process. */
export function openInProcessQueue({ observe }: { observe: Observe }): Queue {
  const lanes: Record<QueueLane, Lane> = { direct: openLane(), bulk: openLane() };
  const crews = new Map<Worker, Crew>();
  let nextTurn: NodeJS.Immediate | undefined;
  let closed = false;

  function addOne(job: Job): void {
    const lane = lanes[job.lane];
    const key = jobKey(job);
    const running = lane.running.get(key);
    if (running !== undefined) running.addedMeanwhile = true;
    else if (!lane.waiting.has(key)) wait(job);
  }

  function wait(job: Job): void {
    lanes[job.lane].waiting.set(jobKey(job), job);
    startSoon();
  }

  /**
   * Jobs start in a later turn of the event loop: never inside add(), so that a job that runs again blocks no socket.
   */
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
    const slots = crew.slots[name];
    for (const [key, job] of lanes[name].waiting) {
      if (crew.stop.signal.aborted || !slots.isFree) return;
      lanes[name].waiting.delete(key);
      const slot = job.kind === 'drain' ? undefined : slots.take();
      const run: Promise<void> = runOne(crew, job, slot).finally(() => crew.running.delete(run));
      crew.running.add(run);
    }
  }

  async function runOne(crew: Crew, job: Job, slot: Slot | undefined): Promise<void> {
    const { running } = lanes[job.lane];
    const key = jobKey(job);
    const state = { addedMeanwhile: false };
    running.set(key, state);
    const giveWay = (): void => slot?.giveWay();
    const result = await runJob(job, crew.handler, { signal: crew.stop.signal, giveWay }, observe);
    running.delete(key);
    slot?.leave();
    if (!closed && (result === 'again' || state.addedMeanwhile)) wait(job);
  }

  const queue: Queue = {
    add: async (jobs) => {
      refuseIfClosed();
      for (const job of jobs) addOne(job);
    },
    work: (handler, { slots }: WorkOptions) => {
      refuseIfClosed();
      const crew: Crew = { handler, slots, stop: new AbortController(), running: new Set() };
      const forget = queueLanes.map((lane) => slots[lane].onFree(startSoon));
      const worker: Worker = {
        close: async () => {
          crew.stop.abort();
          await Promise.all(crew.running);
          forget.forEach((stopListening) => stopListening());
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
