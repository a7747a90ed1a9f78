/**
 * Delivers one slice: leases it, reads its devices by key, feeds them to the gateways, records what came of
 * each. Runs in the worker, as often as the queue rings.
 *
 * A slice ends in one of three ways: every device has its outcome and the slice is closed; time, shutdown or
 * refused credentials cut it short and what is known is stored with it for the next attempt; or the lease was
 * lost to another worker, and then nothing of ours counts. A cancel is noticed with the next renewal of the lease.
 */
import type { Kysely } from 'kysely';
import { type MatchingDevice, readMatchingDevices } from '../audiences/matching-devices.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { Observe } from '../observe.ts';
import { pushMessageOf } from '../notifications/message.ts';
import type { Gateways } from './open-gateways.ts';
import { unpackOutcomes } from './outcome.ts';
import { recordSlice, recordRefusal } from './record.ts';
import { type NotificationBeingSent, readNotificationBeingSent } from './notification-being-sent.ts';
import { SliceRun } from './slice-run.ts';
import {
  LEASE_MS,
  leaseNextSlice,
  type LeasedSlice,
  type NotificationKey,
  renewLease,
} from './slice-store.ts';

export interface DeliveryContext {
  db: Kysely<Database>;
  gateways: Gateways;
  clock: Clock;
  observe: Observe;
  /** 0 to 1, for the jitter of retries. */
  random: () => number;
}

/** Devices read at a time: about a slice, and never more in memory, however an audience has grown since. */
const PAGE_DEVICES = 1_000;

/** What one attempt works on: the slice in hand, its notification, and the devices where they have been read already. */
export interface SliceWork {
  slice: LeasedSlice;
  notification: NotificationBeingSent;
  /** All devices of the slice, sorted by id. */
  devices?: readonly MatchingDevice[];
}

/**
 * Delivers the next slice of a notification.
 * @returns false where there was none to deliver
 * @throws the database's error, with the slice left leased: its lease runs out and another attempt follows
 */
export async function deliverNextSlice(
  context: DeliveryContext,
  key: NotificationKey,
  stop: AbortSignal,
): Promise<boolean> {
  const slice = await leaseNextSlice(context.db, key, context.clock());
  if (slice === undefined) return false;
  const notification = await readNotificationBeingSent(context.db, slice);
  await deliverSlice(context, { slice, notification }, stop);
  return true;
}

/**
 * Delivers a slice that is leased already: holds the lease, pushes, records.
 * @param work with `devices` none are read
 * @throws the database's error, with the slice left leased
 */
export async function deliverSlice(
  context: DeliveryContext,
  work: SliceWork,
  stop: AbortSignal,
): Promise<void> {
  const lease = holdLease(context, work.slice);
  try {
    await attemptSlice(context, work, AbortSignal.any([stop, lease.lost]));
  } finally {
    lease.release();
  }
}

async function attemptSlice(
  context: DeliveryContext,
  { slice, notification, devices: given }: SliceWork,
  stop: AbortSignal,
): Promise<void> {
  const { db, clock, observe } = context;
  const startedMs = performance.now();
  const gateways = await context.gateways.forApp({ appId: slice.appId, bundleId: notification.bundleId });
  const run = new SliceRun({
    message: pushMessageOf(notification),
    lane: notification.lane,
    gateways,
    refused: notification.refused,
    outcomes: slice.outcomes === null ? new Map() : unpackOutcomes(slice.outcomes),
    stop,
    clock,
    observe,
    random: context.random,
    // The first "no" to the credentials is known to every worker at once; the last gateway's ends it all.
    onRefused: async (gateway, reason) =>
      recordRefusal(db, slice, { gateway, reason, gateways, now: clock() }, observe),
  });
  for await (const devices of given === undefined ? pagesOf(db, slice, notification) : [given]) {
    if (run.stopped) break;
    await run.push(devices);
  }
  await run.retryWaiting();
  const result = run.finish();
  await recordSlice(db, slice, result, clock, observe);
  observe({
    kind: 'slice_finished',
    notificationId: slice.notificationId,
    number: slice.number,
    devices: result.fresh.size,
    durationMs: performance.now() - startedMs,
  });
}

async function* pagesOf(
  db: Kysely<Database>,
  slice: LeasedSlice,
  notification: NotificationBeingSent,
): AsyncGenerator<MatchingDevice[]> {
  let afterId: string | undefined;
  for (;;) {
    const page = await readMatchingDevices(db, {
      appId: slice.appId,
      filters: notification.filters,
      now: notification.startedAt,
      firstId: slice.firstId,
      lastId: slice.lastId,
      afterId,
      limit: PAGE_DEVICES,
    });
    if (page.length > 0) yield page;
    if (page.length < PAGE_DEVICES) return;
    afterId = page.at(-1)?.id;
  }
}

/** Renews the lease while the slice is worked on; `lost` is aborted where it was taken over or is not wanted any more. */
function holdLease(
  { db, clock, observe }: DeliveryContext,
  slice: LeasedSlice,
): { lost: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      const held = await renewLease(db, slice, clock());
      if (!held) controller.abort(new Error('the slice was taken over, or the notification canceled'));
    } catch (error) {
      // One missed renewal is no loss: the lease outlives two of them.
      observe({ kind: 'database_error', message: String(error) });
    }
  };
  const timer = setInterval(() => void renew(), LEASE_MS / 3);
  return { lost: controller.signal, release: () => clearInterval(timer) };
}
