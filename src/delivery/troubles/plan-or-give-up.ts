/**
 * Plans a notification, and ends it as failed if that cannot be done: after several errors, or after two processes died
 * while planning it.
 */
import { failureOf } from '../../db/database-error.ts';
import { keepTrying } from '../../db/outages/keep-trying.ts';
import { jittered } from '../../scheduling/jitter.ts';
import type { Origin } from '../../notifications/origin.ts';
import type { DeliveryContext } from '../send/deliver.ts';
import { isLeaseOver, momentOf } from '../lease.ts';
import { LEASE_MS, type NotificationKey, ofNotification } from '../slice-store.ts';
import { type Plan, planNotification } from '../start/plan.ts';
import { causeInWords, TRIES_MAX } from './tries.ts';
import { beginPlanning, failScheduled, attemptFailed, renewPlanning, stopPlanning } from './trouble-store.ts';

const DEATHS_MAX = 2;

type Planned = NotificationKey & { origin: Origin };

/**
 * @returns the plan; undefined as for `planNotification`, or if the notification is not to be tried now
 * @throws the error of an attempt
 */
export async function planOrGiveUp(
  context: DeliveryContext,
  notification: Planned,
): Promise<Plan | undefined> {
  const { db, clock, notifications, turns, mayTakeOver } = context;
  const planner = notifications.holder;
  const begun = await beginPlanning(db, notification, { planner, now: clock(), takesOver: mayTakeOver?.() });
  if (begun === undefined) return undefined;
  if (begun.deaths === 0) return attempt(context, notification);
  if (begun.deaths >= DEATHS_MAX) {
    await giveUp(context, notification, 'planning it stopped the process twice');
    return undefined;
  }
  // One at a time, so that a process that dies for another reason is held against one notification at most.
  await stopPlanning(db, notification, planner);
  return turns.run(async () => {
    const again = await beginPlanning(db, notification, { planner, now: clock() });
    return again === undefined ? undefined : attempt(context, notification);
  });
}

async function attempt(context: DeliveryContext, notification: Planned): Promise<Plan | undefined> {
  const { db, clock, notifications } = context;
  const planner = notifications.holder;
  const renew = async (): Promise<void> => renewPlanning(db, notification, { planner, now: clock() });
  const timer = setInterval(() => void renew().catch(() => undefined), LEASE_MS / 3);
  try {
    const plan = await planNotification(context, notification);
    if (plan === undefined) await stopPlanning(db, notification, planner);
    return plan;
  } catch (error) {
    await failed(context, notification, error);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

async function failed(context: DeliveryContext, notification: Planned, error: unknown): Promise<void> {
  const { db, clock, notifications, random, wait } = context;
  const failure = failureOf(error);
  if (failure === 'away') {
    // A process that lives must not be taken for dead, which would be held against the notification.
    const since = momentOf(context);
    const stop = async (): Promise<void> => {
      if (!isLeaseOver(context, since)) await stopPlanning(db, notification, notifications.holder);
    };
    await keepTrying(stop, { random, wait, onFailure: () => undefined }).catch(() => undefined);
    return;
  }
  const message = await causeInWords(db, error);
  const failures = await attemptFailed(db, notification, {
    message,
    now: clock(),
    jitter: jittered(1_000, random) / 1_000,
  });
  if (failures >= TRIES_MAX[failure]) {
    await giveUp(context, notification, `it could not be planned in ${failures} attempts: ${message}`);
  }
}

async function giveUp(
  { db, clock, observe }: DeliveryContext,
  notification: Planned,
  reason: string,
): Promise<void> {
  if (!(await failScheduled(db, notification, { reason, now: clock() }))) return;
  observe({ kind: 'notification_ended', ...ofNotification(notification), state: 'failed', reason });
}
