/** The worker role: runs the jobs of the queue, and the sweep that finds what the queue has lost. */
import type { PeriodicJob } from '../periodically.ts';
import type { DeliverJob, JobHandler } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import { Slots } from '../queue/slots.ts';
import { deliverNextSlice, type DeliveryResources, openDelivery } from './send/deliver.ts';
import { openDrain } from './start/drain.ts';
import { sweepJob } from './upkeep/sweep.ts';

export interface DeliveryWorker {
  /** To be run every second by one worker at least. */
  sweep: PeriodicJob;
  /** Lets the requests in flight finish, hands unfinished slices on, stops. */
  close(): Promise<void>;
}

/** Slices of broadcasts at once, so that one is read and recorded while others are sent. */
const BULK_SLOTS = 6;
const DIRECT_SLOTS = 16;
/** For this long the job of a broadcast goes on to further slices, because queueing it again costs Redis two scripts. */
const TURN_MS = 500;

export interface WorkerResources extends DeliveryResources {
  queue: Queue;
  /** Runs the jobs of the bulk lane. */
  broadcasts: JobHandler<DeliverJob>;
  /**
   * Whether outcomes of pushes cannot be stored now: each push would be sent again. Then nothing is planned or leased,
   * and the sweep finds it afterwards.
   */
  isFull?: () => boolean;
}

export function startDeliveryWorker(resources: WorkerResources): DeliveryWorker {
  const { queue, broadcasts, isFull = () => false } = resources;
  const context = { ...openDelivery(resources), queue };
  const slots = { direct: new Slots(DIRECT_SLOTS), bulk: new Slots(BULK_SLOTS) };
  const drain = openDrain(context, slots.direct);
  const worker = queue.work(
    async (job, stop, giveWay) => {
      if (isFull()) return 'done';
      return job.kind === 'drain' ? drain.run() : broadcasts(job, stop, giveWay);
    },
    { slots },
  );
  return {
    sweep: sweepJob({ ...context, drain, isFull }),
    async close() {
      await Promise.all([worker.close(), drain.close()]);
    },
  };
}

/** @returns a handler that delivers slices of a broadcast for one turn, in the thread of broadcasts */
export function sliceDeliverer(resources: DeliveryResources): JobHandler<DeliverJob> {
  const context = openDelivery(resources);
  return async ({ appId, notificationId }, stop, giveWay) => {
    const turn = { endsMs: performance.now() + TURN_MS, hasSlot: true };
    const giveSlotAway = (): void => {
      turn.hasSlot = false;
      giveWay();
    };
    do {
      const isDelivered = await deliverNextSlice(context, { appId, notificationId }, stop, giveSlotAway);
      if (!isDelivered) return 'done';
    } while (turn.hasSlot && !stop.aborted && performance.now() < turn.endsMs);
    return 'again';
  };
}
