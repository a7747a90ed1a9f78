/** The worker role: runs the jobs of the queue, and the sweep that finds work that the queue has lost. */
import type { DirectStart } from '../notifications/intake/intake.ts';
import type { PeriodicJob } from '../scheduling/periodically.ts';
import type { DeliverJob, JobHandler } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import { Slots } from '../queue/slots.ts';
import { deliverNextSlice, type DeliveryResources, openDelivery } from './send/deliver.ts';
import type { SharedByThreads } from './shared-by-threads.ts';
import { openDrain } from './start/drain.ts';
import { sweepJob } from './upkeep/sweep.ts';

export interface DeliveryWorker {
  /** For an API in the same process: notifications are claimed when they are stored. */
  direct: DirectStart;
  /** Run it every second in at least one worker. */
  sweep: PeriodicJob;
  /** Waits for the requests in flight, gives unfinished slices back and stops. */
  close(): Promise<void>;
}

/** Bulk slices in progress at once in a bulk thread: some are read or saved while others are sent. */
const BULK_SLOTS = 6;
/** Notifications of the direct lane in progress at once. There are many, because each mostly waits for its gateway. */
const DIRECT_SLOTS = 512;
/** A job of the bulk lane takes further slices for this long, because queueing it again costs two Redis scripts. */
const TURN_MS = 500;

/**
 * A slice that only waits for answers gives its slot away after this time, which ends the turn. A gateway near by answers
 * sooner; one far away takes several times as long.
 */
const GIVE_WAY_AFTER_MS = 25;

/** What runs the jobs of the bulk lane. */
export interface BulkLane {
  deliver: JobHandler<DeliverJob>;
  /** The threads that it shares them out among; 1 by default. */
  count?: number;
  /** What they share with the direct lane; by default nothing. */
  shared?: SharedByThreads;
}

export interface WorkerResources extends DeliveryResources {
  queue: Queue;
  bulk: BulkLane;
  /**
   * Whether outcomes cannot be stored now. Nothing is planned or leased then, because the pushes would be sent again;
   * the sweep finds the work afterwards.
   */
  isFull?: () => boolean;
}

export function startDeliveryWorker(resources: WorkerResources): DeliveryWorker {
  const { queue, bulk, isFull = () => false } = resources;
  const { count = 1, shared } = bulk;
  const slots = { direct: new Slots(DIRECT_SLOTS), bulk: new Slots(count * BULK_SLOTS) };
  const isSendingBulk = (): boolean => slots.bulk.free < slots.bulk.count;
  const context = { ...openDelivery({ ...resources, shared }), queue, isFull, isSendingBulk };
  const drain = openDrain(context, slots.direct);
  const worker = queue.work(
    async (job, stop, giveWay) => {
      if (isFull()) return 'done';
      return job.kind === 'drain' ? drain.run() : bulk.deliver(job, stop, giveWay);
    },
    { slots },
  );
  return {
    direct: drain.direct,
    sweep: sweepJob({ ...context, drain }),
    async close() {
      await Promise.all([worker.close(), drain.close()]);
    },
  };
}

/** @returns a handler for the bulk thread; one call delivers slices of a bulk notification for about `TURN_MS` */
export function sliceDeliverer(resources: DeliveryResources): JobHandler<DeliverJob> {
  const context = openDelivery(resources);
  return async ({ appId, notificationId }, stop, giveWay) => {
    const turn = { endsMs: performance.now() + TURN_MS, hasSlot: true };
    let timer: NodeJS.Timeout | undefined;
    const giveWaySoon = (): void => {
      timer = setTimeout(() => {
        turn.hasSlot = false;
        giveWay();
      }, GIVE_WAY_AFTER_MS);
    };
    do {
      const delivering = deliverNextSlice(context, { appId, notificationId }, stop, giveWaySoon);
      if (!(await delivering.finally(() => clearTimeout(timer)))) return 'done';
    } while (turn.hasSlot && !stop.aborted && performance.now() < turn.endsMs);
    return 'again';
  };
}
