/**
 * The direct path of single pushes: one statement claims a due notification for few devices and reads these devices, to
 * which it is then sent. Fewer statements mean fewer waits behind a broadcast. All other notifications are planned
 * (`plan.ts`).
 */
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Filter } from '../../filters/filter.ts';
import { platformOf } from '../../gateways/gateway.ts';
import {
  messageFrom,
  type NotificationContent,
  parseContent,
  sendingRulesFrom,
} from '../../notifications/message.ts';
import { type DeliveryContext, deliverSlice } from '../send/deliver.ts';
import { type Claim, claimNotification, type DueNotification } from './direct-store.ts';
import type { ActiveNotification } from '../send/active-notification-store.ts';
import { DIRECT_DEVICES_MAX } from './plan.ts';
import { tracePlan } from '../trace.ts';

/** A notification that is now `sending`, with its only slice leased to this process. */
export interface DirectClaim extends Claim {
  due: DueNotification;
  content: NotificationContent;
  filters: Filter[];
  startedAt: Date;
}

/**
 * @returns undefined, with nothing changed, if the notification is no longer scheduled or must be planned: a dry run,
 *   too many devices or none, no credentials, or an audience that is expensive to read
 */
export async function claimDirectly(
  context: DeliveryContext,
  due: DueNotification,
): Promise<DirectClaim | undefined> {
  const { appId, notificationId, origin, credentials } = due;
  const content = parseContent(due.body);
  const { dryRun, maxRecipients } = sendingRulesFrom(content);
  const filters = filtersOfAudience(due.filters);
  if (dryRun || !isQuicklyRead(filters)) return undefined;

  const startedAt = context.clock();
  const claim = await claimNotification(context.db, {
    appId,
    notificationId,
    origin,
    filters,
    platforms: credentials.map(({ gateway }) => platformOf(gateway)),
    devicesMax: Math.min(maxRecipients ?? DIRECT_DEVICES_MAX, DIRECT_DEVICES_MAX),
    now: startedAt,
  });
  return claim && { ...claim, due, content, filters, startedAt };
}

/** @throws the database error; the slice stays leased until its lease runs out, then another attempt follows */
export async function deliverClaim(
  context: DeliveryContext,
  { due, content, filters, slice, devices, startedAt }: DirectClaim,
  stop: AbortSignal,
): Promise<void> {
  const { appId, notificationId, origin, bundleId, credentials } = due;
  context.observe({
    kind: 'notification_planned',
    notificationId,
    requestId: origin.requestId,
    devices: devices.length,
    slices: 1,
    lane: 'direct',
  });
  tracePlan(context.tracer, slice, { devices: devices.length, slices: 1, lane: 'direct' }, startedAt);

  const gateways = await context.gateways.forApp({ appId, bundleId }, credentials);
  const notification: ActiveNotification = {
    message: messageFrom({ id: notificationId, due_at: due.due_at }, content, due.android),
    bundleId,
    filters,
    startedAt,
    lane: 'direct',
    isBroad: false, // its devices have been read
    refused: {},
  };
  await deliverSlice(context, { slice, notification, devices, gateways }, stop);
}

/**
 * Whether the audience is cheap to read, however many devices the app has: either an index finds the devices, or all
 * devices match and the first hundred are enough. Other filters may scan all devices, which planning does once.
 */
function isQuicklyRead(filters: readonly Filter[]): boolean {
  return filters.length === 0 || filters.some((filter) => !filter.not && isIndexed(filter));
}

function isIndexed(filter: Filter): boolean {
  return filter.kind === 'device_id' || (filter.kind === 'text' && filter.column === 'user_id');
}
