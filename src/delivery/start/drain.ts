/**
 * Starts notifications that are due, for as long as there are any and the direct lane has free slots. A drain ends as
 * soon as they are claimed; their deliveries go on in the slots.
 *
 * Drains of the queue follow one another over all workers, so two workers rarely read the same notifications. Where they
 * do, each claim still succeeds only once.
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
   * @returns `again` where more may be due than there are free slots for
   * @throws the database's error
   */
  run(): Promise<JobResult>;
  /** Goes on with a notification of the direct lane whose slice nobody works on, where a slot is free. */
  resume(notification: NotificationKey & { requestId: string }): void;
  /** Hands unfinished slices on and waits for the deliveries. */
  close(): Promise<void>;
}

/** A claim that takes longer, as one that waits for a lock of the row, does not hold up the drains that follow. */
const CLAIM_PATIENCE_MS = 100;
/** Pause before a notification that could not be started is tried again: another worker plans it, or an error occurred. */
const LEAVE_ALONE_MS = 1_000;

/** @param slots of the direct lane in this process; the drain takes one for each notification that it starts */
export function openDrain(context: DrainContext, slots: Slots): Drain {
  const { db, clock, observe, queue } = context;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  /** Notifications that are being started, or could not be: id → end of the pause, on the monotonic clock. */
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

  /** @returns a promise that resolves once the notification is claimed, or cannot be; its delivery goes on */
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

  /** @returns false where it was left as it was, or ended by its plan */
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
    // A person may be waiting: no second way through the queue.
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
