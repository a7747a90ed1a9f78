/**
 * The short walk of what somebody waits for: a due notification for a handful of devices is read, started and
 * pushed after two trips to the database, since each trip is a turn in the line behind a broadcast. Whatever is
 * not that plain is left to `plan.ts`, which weighs it with care.
 */
import type { Filter } from '../../filters/filter.ts';
import { platformOf } from '../../gateways/gateway.ts';
import { messageFrom, parseContent, sendingRulesFrom } from '../../notifications/message.ts';
import { type DeliveryContext, deliverSlice } from '../send/deliver.ts';
import { claimNotification, readDueNotification } from './direct-store.ts';
import type { ActiveNotification } from '../send/active-notification-store.ts';
import { DIRECT_DEVICES_MAX } from './plan.ts';
import type { NotificationKey } from '../slice-store.ts';
import { tracePlan } from '../trace.ts';

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
  const due = await readDueNotification(db, key, now);
  if (due === undefined) return 'done';
  const { filters, credentials, origin, ...notification } = due;
  const content = parseContent(notification.body);
  const { dryRun, maxRecipients } = sendingRulesFrom(content);
  if (dryRun || !isQuicklyRead(filters)) return 'to_plan';

  const claim = await claimNotification(db, {
    ...key,
    origin,
    filters,
    platforms: credentials.map(({ gateway }) => platformOf(gateway)),
    devicesMax: Math.min(maxRecipients ?? DIRECT_DEVICES_MAX, DIRECT_DEVICES_MAX),
    now,
  });
  if (claim === undefined) return 'to_plan';
  const { slice, devices } = claim;
  const { notificationId } = key;
  observe({
    kind: 'notification_planned',
    notificationId,
    requestId: origin.requestId,
    devices: devices.length,
    slices: 1,
    lane: 'direct',
  });
  tracePlan(tracer, slice, { devices: devices.length, slices: 1, lane: 'direct' }, now);

  const gateways = await context.gateways.forApp({ ...key, bundleId: due.bundleId }, credentials);
  const being: ActiveNotification = {
    message: messageFrom(notification, content, notification.android),
    bundleId: notification.bundleId,
    filters,
    startedAt: now,
    lane: 'direct',
    isBroad: false, // its devices have been read
    refused: {},
  };
  await deliverSlice(context, { slice, notification: being, devices, gateways }, stop);
  return 'done';
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
