/**
 * Starts due notifications as long as there are any and the direct lane has free slots. A drain ends as soon as they
 * are claimed; their deliveries continue in the slots.
 *
 * The queue runs one drain at a time over all workers, so two workers rarely read the same notifications. If they do,
 * only one of them claims each, and skips those that another has locked.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { databaseError, failureOf } from '../../db/database-error.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import { type Origin, originOf } from '../../notifications/origin.ts';
import { deliverJobs, DRAIN_EVERY_MS, jobFailed, type JobResult } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { shareNext } from '../../queue/share-next.ts';
import { Slots } from '../../queue/slots.ts';
import { ClaimDeliveries } from '../claims/claim-delivery.ts';
import { type DeliveryContext, deliverNextSlice } from '../send/deliver.ts';
import { InProgress } from '../send/in-progress.ts';
import { type NotificationKey, ofNotification } from '../slice-store.ts';
import { planOrGiveUp } from '../troubles/plan-or-give-up.ts';
import type { DirectStart } from '../../notifications/intake/intake.ts';
import { claimDue, claimedWhenStored, type ClaimResults } from './direct.ts';
import { type DueNotification, readDueNotifications } from './direct-store.ts';
import { DIRECT_DEVICES_MAX } from './plan.ts';

export interface DrainContext extends DeliveryContext {
  queue: Pick<Queue, 'add'>;
  /** Whether outcomes cannot be stored now; then nothing is claimed when it is stored. */
  isFull?: () => boolean;
  /** Whether this process is sending a bulk notification. Then single pushes share more of their statements, each of which slows it down. */
  isSendingBulk?: () => boolean;
}

export interface Drain {
  /** Sends notifications that were claimed when they were stored, in a process that stores them too. */
  direct: DirectStart;
  /**
   * Starts what is due.
   * @returns `again` if more may be due than there are free slots for
   * @throws the database's error
   */
  run(): Promise<JobResult>;
  /** Delivers the unfinished slice of a notification in the direct lane, once a slot is free, before due work. */
  resume(notification: NotificationKey & { requestId: string }): void;
  /** Stops the deliveries, which give unfinished slices back, and waits for them. */
  close(): Promise<void>;
}

/** Notifications that are read and claimed together. More would make the first of them wait. */
const DUE_MAX = 128;
/** Planning counts whole audiences, so only a few notifications are planned at once. */
const PLANS_MAX = 8;
/** From the start of a drain to that of the next. */
const BULK_PAUSE_MS = 25;
/** How long to wait before retrying a notification that another worker is planning or that failed with an error. */
const LEAVE_ALONE_MS = 1_000;
/** From the time at which a notification to be sent at once is due until a drain usually sees it. */
const LATE_MS = 2_000;

/** @param slots the slots of the direct lane in this process; the drain takes one per notification that it starts */
export function openDrain(context: DrainContext, slots: Slots): Drain {
  const { db, clock, observe, queue, isFull = () => false, isSendingBulk = () => false } = context;
  const stop = new AbortController();
  /** Notifications that are being started or delivered. */
  const running = new InProgress();
  const deliveries = new ClaimDeliveries(context, isSendingBulk);
  const planSlots = new Slots(PLANS_MAX);
  /** Notifications that wait for a slot to go on. The sweep finds them again every second. */
  const resuming = new Set<string>();
  /**
   * Notifications that this drain does not read: they are being planned, or could not be started. By id, until when
   * (monotonic).
   */
  const leftOut = new Map<string, { untilMs: number; dueAt: Date }>();
  const start = new SearchStart(LATE_MS);

  async function drain(): Promise<JobResult> {
    while (!stop.signal.aborted) {
      const limit = Math.min(slots.free, DUE_MAX);
      if (limit <= 0) return 'again';
      const due = await readDue(limit);
      if (due.length > 0) await startDue(due);
      if (due.length < limit) return 'done';
    }
    return 'again';
  }

  async function readDue(limit: number): Promise<DueNotification[]> {
    const nowMs = performance.now();
    for (const [id, { untilMs }] of leftOut) {
      if (untilMs <= nowMs) leftOut.delete(id);
    }
    const now = clock();
    const except = [...leftOut.keys()];
    const due = await readDueNotifications(db, { now, from: start.begin(now), limit, except });
    const left = [...leftOut.values(), { dueAt: due[0]?.due_at ?? now }];
    start.end(new Date(Math.min(...left.map(({ dueAt }) => dueAt.getTime()))));
    return due;
  }

  /** Resolves when the notifications are claimed or wait to be planned; deliveries and plans continue in their slots. */
  async function startDue(due: readonly DueNotification[]): Promise<void> {
    const { claimed, toPlan } = await claimOrPlan(due);
    for (const claim of claimed) void runInSlot(claim, () => deliveries.deliver(claim));
    for (const notification of toPlan) startPlan(notification);
  }

  /**
   * A statement claims many notifications, and one of them may be the cause of its error. Then each is planned by itself, which
   * ends those that cannot be.
   */
  async function claimOrPlan(due: readonly DueNotification[]): Promise<ClaimResults> {
    try {
      return await claimDue(context, due);
    } catch (error) {
      if (failureOf(error) === 'away') throw error;
      observe(databaseError(error, 'claim notifications'));
      return { claimed: [], toPlan: [...due] };
    }
  }

  function startPlan(due: DueNotification): void {
    leftOut.set(due.notificationId, { untilMs: Number.POSITIVE_INFINITY, dueAt: due.due_at });
    void runInSlot(due, async () => {
      const planSlot = await planSlots.takeWhenFree(stop.signal);
      if (planSlot === undefined) return;
      try {
        await planOne(due, () => planSlot.leave());
      } finally {
        planSlot.leave();
        leaveAlone(due);
      }
    });
  }

  /** @param onPlanned called when nothing is left but to deliver */
  async function planOne(
    { appId, notificationId, origin }: DueNotification,
    onPlanned: () => void,
  ): Promise<void> {
    const key = { appId, notificationId };
    const plan = await planOrGiveUp(context, { ...key, origin });
    onPlanned();
    if (plan === undefined) return;
    // A person may be waiting, so the slice does not go through the queue again.
    if (plan.lane === 'direct') {
      for (let left = plan.slices; left > 0; left--) {
        if (!(await deliverNextSlice(context, key, stop.signal))) return;
      }
    } else await queue.add(deliverJobs({ ...key, requestId: origin.requestId }, plan.slices));
  }

  function leaveAlone({ notificationId, due_at: dueAt }: DueNotification): void {
    leftOut.set(notificationId, { untilMs: performance.now() + LEAVE_ALONE_MS, dueAt });
  }

  /** Never rejects. */
  async function runInSlot(
    notification: NotificationKey & { origin: Origin },
    action: () => Promise<unknown> | undefined,
    slot = slots.take(),
  ): Promise<void> {
    running.begin();
    try {
      await action();
    } catch (error) {
      observe(jobFailed('start', ofNotification(notification), error));
    } finally {
      slot.leave();
      running.end();
    }
  }

  return {
    direct: {
      get free() {
        return stop.signal.aborted || isFull() ? 0 : slots.free;
      },
      onFree: (listener) => slots.onFree(listener),
      devicesMax: DIRECT_DEVICES_MAX,
      get isSendingBulk() {
        return isSendingBulk();
      },
      start: (stored, claimedAt) => {
        for (const one of stored) {
          const { app_id: appId, id: notificationId } = one.row;
          void runInSlot({ appId, notificationId, origin: originOf(one.row) }, () => {
            const claim = claimedWhenStored(context, one, claimedAt);
            return claim && deliveries.deliver(claim);
          });
        }
      },
    },
    run: shareNext(drain, async () =>
      wait(isSendingBulk() ? BULK_PAUSE_MS : DRAIN_EVERY_MS, undefined, { ref: false }),
    ),
    resume: ({ requestId, ...key }) => {
      if (resuming.has(key.notificationId)) return;
      resuming.add(key.notificationId);
      const notification = { ...key, origin: { requestId, traceparent: null } };
      const goOn = async (): Promise<void> => {
        const slot = await slots.takeWhenFree(stop.signal);
        resuming.delete(key.notificationId);
        if (slot !== undefined) {
          void runInSlot(notification, async () => deliverNextSlice(context, key, stop.signal), slot);
        }
        running.end();
      };
      running.begin();
      void goOn();
    },
    async close() {
      stop.abort();
      deliveries.stop();
      // A drain in progress may begin some meanwhile.
      for (let ended = running.atMost(0); ended !== undefined; ended = running.atMost(0)) await ended;
    },
  };
}
