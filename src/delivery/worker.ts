/** The worker role: answers the queue's bells and sweeps for what the queue has lost. */
import type { Job, JobResult, Queue } from '../queue/queue.ts';
import { deliverJobs } from './bells.ts';
import { type DeliveryContext, deliverNextSlice, type DeliveryResources, openDelivery } from './deliver.ts';
import { deliverDirectly } from './direct.ts';
import { planNotification } from './plan.ts';
import { startRecovering } from './recover.ts';

export interface DeliveryWorker {
  /** Lets the requests in flight finish, hands unfinished slices on, stops. */
  close(): Promise<void>;
}

/** Slices of broadcasts at once, so that one is read and recorded while others are sent. */
const BULK_CONCURRENCY = 6;
const DIRECT_CONCURRENCY = 16;

export function startDeliveryWorker(resources: DeliveryResources & { queue: Queue }): DeliveryWorker {
  const { queue } = resources;
  const context = { ...openDelivery(resources), queue };
  const worker = queue.work(async (job, stop) => answer(context, job, stop), {
    concurrency: { direct: DIRECT_CONCURRENCY, bulk: BULK_CONCURRENCY },
  });
  const recovering = startRecovering(context);
  return {
    async close() {
      await recovering.close();
      await worker.close();
    },
  };
}

const DONE: JobResult = { kind: 'done' };

async function answer(
  context: DeliveryContext & { queue: Queue },
  job: Job,
  stop: AbortSignal,
): Promise<JobResult> {
  const { appId, notificationId, requestId } = job;
  const key = { appId, notificationId };
  switch (job.kind) {
    case 'plan': {
      if ((await deliverDirectly(context, key, stop)) === 'done') return DONE;
      const plan = await planNotification(context, key);
      if (plan === undefined) return DONE;
      // Somebody is waiting: no second trip through the queue.
      if (plan.lane === 'direct') await deliverNextSlice(context, key, stop);
      else await context.queue.add(deliverJobs({ ...key, requestId }, plan.lane, plan.slices));
      return DONE;
    }
    case 'deliver': {
      const delivered = await deliverNextSlice(context, key, stop);
      return delivered ? { kind: 'again', afterMs: 0 } : DONE;
    }
  }
}
