/** The worker role: answers the queue's bells and sweeps for what the queue has lost. */
import type { Job, JobHandler, JobResult, Queue } from '../queue/queue.ts';
import { deliverJobs } from './jobs.ts';
import {
  type DeliveryContext,
  deliverNextSlice,
  type DeliveryResources,
  openDelivery,
} from './send/deliver.ts';
import { deliverDirectly } from './start/direct.ts';
import { planNotification } from './start/plan.ts';
import { startRecovering } from './upkeep/recover.ts';
import type { NotificationKey } from './slice-store.ts';

export interface DeliveryWorker {
  /** Lets the requests in flight finish, hands unfinished slices on, stops. */
  close(): Promise<void>;
}

/**
 * Slices of broadcasts at once, so that one is read and recorded while others are sent; beside those that only wait
 * for the answers of a gateway far away.
 */
const BULK_CONCURRENCY = 6;
const DIRECT_CONCURRENCY = 16;

export interface WorkerResources extends DeliveryResources {
  queue: Queue;
  /** Delivers what a bell of the bulk lane names. */
  broadcasts: JobHandler;
  /**
   * Whether what came of pushes cannot be stored now: each would be sent again. Then nothing is planned or leased, and
   * the sweep finds it afterwards.
   */
  isFull?: () => boolean;
}

export function startDeliveryWorker(resources: WorkerResources): DeliveryWorker {
  const { queue, broadcasts, isFull = () => false } = resources;
  const context = { ...openDelivery(resources), queue, isFull };
  const answerHere: JobHandler = async (job, stop) => answer(context, job, stop);
  const worker = queue.work(
    async (job, stop, giveWay) => {
      if (isFull()) return 'done';
      return (job.lane === 'bulk' ? broadcasts : answerHere)(job, stop, giveWay);
    },
    { concurrency: { direct: DIRECT_CONCURRENCY, bulk: BULK_CONCURRENCY } },
  );
  const recovering = startRecovering(context);
  return {
    async close() {
      await recovering.close();
      await worker.close();
    },
  };
}

/** @returns what delivers the next slice of the notification that a job names */
export function sliceDeliverer(resources: DeliveryResources): JobHandler {
  const context = openDelivery(resources);
  return async (job, stop, giveWay) => deliverOne(context, job, stop, giveWay);
}

async function answer(
  context: DeliveryContext & { queue: Queue },
  job: Job,
  stop: AbortSignal,
): Promise<JobResult> {
  const { appId, notificationId, requestId } = job;
  const key = { appId, notificationId };
  switch (job.kind) {
    case 'plan': {
      if ((await deliverDirectly(context, key, stop)) === 'done') return 'done';
      const plan = await planNotification(context, key);
      if (plan === undefined) return 'done';
      // Somebody is waiting: no second trip through the queue.
      if (plan.lane === 'direct') await deliverNextSlice(context, key, stop);
      else await context.queue.add(deliverJobs({ ...key, requestId }, plan.lane, plan.slices));
      return 'done';
    }
    case 'deliver':
      return deliverOne(context, key, stop);
  }
}

async function deliverOne(
  context: DeliveryContext,
  { appId, notificationId }: NotificationKey,
  stop: AbortSignal,
  giveWay?: () => void,
): Promise<JobResult> {
  const delivered = await deliverNextSlice(context, { appId, notificationId }, stop, giveWay);
  return delivered ? 'again' : 'done';
}
