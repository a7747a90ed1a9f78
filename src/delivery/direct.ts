/**
 * The short walk of what somebody waits for: a due notification for a handful of devices is read, started and
 * pushed after one trip to the database, or two where its audience or its rules are less plain, since each trip is a
 * turn in the line behind a broadcast. Whatever is not a handful, or not quickly known to be, is left to `plan.ts`.
 */
import type { Kysely } from 'kysely';
import type { Filter } from '../audiences/filter.ts';
import type { Database } from '../db/tables.ts';
import type { GatewayName } from '../gateways/gateway.ts';
import { pushMessageOf, sendingRulesOf } from '../notifications/message.ts';
import { type DeliveryContext, deliverSlice } from './deliver.ts';
import { type Claim, claimNotification, type DueNotification, takeDueNotification } from './direct-store.ts';
import type { NotificationBeingSent } from './notification-being-sent.ts';
import { DIRECT_DEVICES_MAX } from './plan.ts';
import type { NotificationKey } from './slice-store.ts';
import { tracePlan } from './trace.ts';

/**
 * @returns `done` where it was delivered here, or where there is nothing to do: not due, or started by another;
 *   `to_plan` where it is none of ours: a dry run, too many devices or none, no credentials, a dear audience
 * @throws the database's error; where the notification was started, its slice is left leased: the lease runs out
 *   and another attempt follows
 */
export async function deliverDirectly(
  context: DeliveryContext,
  key: NotificationKey,
  stop: AbortSignal,
): Promise<'done' | 'to_plan'> {
  const { db, observe, tracer } = context;
  const now = context.clock();
  const taken = await takeDueNotification(db, key, { devicesMax: DIRECT_DEVICES_MAX, now });
  if (taken === undefined) return 'done';
  const { due } = taken;
  const claim = taken.isPlain ? taken.claim : await claimWithCare(db, key, due, now);
  if (claim === undefined) return 'to_plan';
  const { slice, devices } = claim;
  const { notificationId } = key;
  observe({
    kind: 'notification_planned',
    notificationId,
    requestId: due.origin.requestId,
    devices: devices.length,
    slices: 1,
    lane: 'direct',
  });
  tracePlan(tracer, slice, { devices: devices.length, slices: 1, lane: 'direct' }, now);

  const gateways = await context.gateways.forApp({ ...key, bundleId: due.bundleId }, due.credentials);
  const being: NotificationBeingSent = {
    message: pushMessageOf(due),
    bundleId: due.bundleId,
    filters: due.filters,
    startedAt: now,
    lane: 'direct',
    isBroad: false, // its devices have been read
    refused: {},
  };
  await deliverSlice(context, { slice, notification: being, devices, gateways }, stop);
  return 'done';
}

/** Starts it if its rules allow the short walk, and a look at its audience is cheap. */
async function claimWithCare(
  db: Kysely<Database>,
  key: NotificationKey,
  { filters, credentials, origin, body }: DueNotification,
  now: Date,
): Promise<Claim | undefined> {
  const { dryRun, maxRecipients } = sendingRulesOf({ body });
  if (dryRun || !isQuicklyRead(filters)) return undefined;
  return claimNotification(db, {
    ...key,
    origin,
    filters,
    platforms: credentials.map(({ gateway }) => platformOf(gateway)),
    devicesMax: Math.min(maxRecipients ?? DIRECT_DEVICES_MAX, DIRECT_DEVICES_MAX),
    now,
  });
}

/**
 * Whether a look at the audience is cheap, however many devices the app has: an index leads to those that can
 * match, or all match and the first hundred are enough. Any other filter may cost a scan of all devices, which
 * is better spent on planning's count.
 */
function isQuicklyRead(filters: readonly Filter[]): boolean {
  return filters.length === 0 || filters.some((filter) => !filter.not && isIndexed(filter));
}

function isIndexed(filter: Filter): boolean {
  return filter.kind === 'device_id' || (filter.kind === 'text' && filter.column === 'user_id');
}

function platformOf(gateway: GatewayName): 'iOS' | 'Android' {
  return gateway === 'apns' ? 'iOS' : 'Android';
}
