/**
 * Starts due notifications as long as there are any and the direct lane has free slots. A drain ends as soon as they
 * are claimed; their deliveries continue in the slots.
 *
 * The queue runs one drain at a time over all workers, so two workers rarely read the same notifications. If they do,
 * only one of them claims each.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { deliverJobs, jobFailed, type JobResult } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { shareNext } from '../../queue/share-next.ts';
import type { Slot, Slots } from '../../queue/slots.ts';
import { type DeliveryContext, deliverNextSlice } from '../send/deliver.ts';
import type { NotificationKey } from '../slice-store.ts';
import { claimDirectly, deliverClaim } from './direct.ts';
import { type DueNotification, readDueNotifications } from './direct-store.ts';
import { planNotification } from './plan.ts';

export interface DrainContext extends DeliveryContext {
  queue: Pick<Queue, 'add'>;
}

export interface Drain {
  /**
   * Starts what is due.
   * @returns `again` if more may be due than there are free slots for
   * @throws the database's error
   */
  run(): Promise<JobResult>;
  /** Delivers the abandoned slice of a notification in the direct lane, if a slot is free. */
  resume(notification: NotificationKey & { requestId: string }): void;
  /** Stops the deliveries, which give unfinished slices back, and waits for them. */
  close(): Promise<void>;
}

/**
 * A drain waits at most this long for its claims, so that one that waits for a row lock does not delay later drains.
 */
const CLAIM_PATIENCE_MS = 100;
/** How long to wait before retrying a notification that another worker is planning or that failed with an error. */
const LEAVE_ALONE_MS = 1_000;

/** @param slots the slots of the direct lane in this process; the drain takes one per notification that it starts */
export function openDrain(context: DrainContext, slots: Slots): Drain {
  const { db, clock, observe, queue } = context;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  /**
   * Notifications that this drain does not read: they are being started, or could not be. Id → until when (monotonic).
   */
  const leftOut = new Map<string, number>();

  async function drain(): Promise<JobResult> {
    while (!stop.signal.aborted) {
      const free = Array.from({ length: slots.free }, () => slots.take());
      if (free.length === 0) return 'again';
      const due = await readDue(free.length).catch((error: unknown) => {
        for (const slot of free) slot.leave();
        throw error;
      });
      const claims = due.map(async (notification, index) => start(notification, free[index]));
      for (const slot of free.slice(due.length)) slot.leave();
      if (claims.length > 0) await Promise.race([Promise.all(claims), patience()]);
      if (due.length < free.length) return 'done';
    }
    return 'again';
  }

  async function readDue(limit: number): Promise<DueNotification[]> {
    const nowMs = performance.now();
    for (const [id, untilMs] of leftOut) {
      if (untilMs <= nowMs) leftOut.delete(id);
    }
    return readDueNotifications(db, { now: clock(), limit, except: [...leftOut.keys()] });
  }

  /** Resolves when the notification is claimed or cannot be claimed; its delivery continues in the slot. */
  async function start(due: DueNotification, slot: Slot | undefined): Promise<void> {
    const { notificationId, origin } = due;
    leftOut.set(notificationId, Number.POSITIVE_INFINITY);
    const claimed = Promise.withResolvers<void>();
    runInSlot(slot, { notificationId, requestId: origin.requestId }, async () => {
      let isStarted = false;
      try {
        isStarted = await startOne(due, claimed.resolve);
      } finally {
        claimed.resolve();
        if (isStarted) leftOut.delete(notificationId);
        else leftOut.set(notificationId, performance.now() + LEAVE_ALONE_MS);
      }
    });
    return claimed.promise;
  }

  /** @returns false if the notification was not started, or if planning ended it */
  async function startOne(due: DueNotification, onClaimed: () => void): Promise<boolean> {
    const { appId, notificationId, origin } = due;
    const key = { appId, notificationId };
    const claim = await claimDirectly(context, due);
    onClaimed();
    if (claim !== undefined) {
      await deliverClaim(context, claim, stop.signal);
      return true;
    }
    const plan = await planNotification(context, key);
    if (plan === undefined) return false;
    // A person may be waiting, so the slice does not go through the queue again.
    if (plan.lane === 'direct') await deliverNextSlice(context, key, stop.signal);
    else await queue.add(deliverJobs({ ...key, requestId: origin.requestId }, plan.slices));
    return true;
  }

  function runInSlot(
    slot: Slot | undefined,
    of: { notificationId: string; requestId: string },
    action: () => Promise<unknown>,
  ): void {
    const run: Promise<void> = action()
      .then(
        () => undefined,
        (error: unknown) => observe(jobFailed('start', of, error)),
      )
      .finally(() => {
        running.delete(run);
        slot?.leave();
      });
    running.add(run);
  }

  return {
    run: shareNext(drain),
    resume: ({ requestId, ...key }) => {
      if (stop.signal.aborted || !slots.isFree) return;
      runInSlot(slots.take(), { notificationId: key.notificationId, requestId }, async () =>
        deliverNextSlice(context, key, stop.signal),
      );
    },
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

async function patience(): Promise<void> {
  await wait(CLAIM_PATIENCE_MS, undefined, { ref: false });
}
