/**
 * The direct path of single pushes: a due notification for few devices is claimed by one statement, which also reads its
 * devices, and pushed. Each statement that is saved is one less wait behind a broadcast. Any other notification is
 * planned (`plan.ts`).
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

/** A notification that is `sending` now, its one slice leased to this process. */
export interface DirectClaim extends Claim {
  due: DueNotification;
  content: NotificationContent;
  filters: Filter[];
  startedAt: Date;
}

/**
 * @returns undefined, with nothing changed, for a notification to be planned: a dry run, too many devices or none, no
 *   credentials, an audience that is expensive to read; or one that is not scheduled any more
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

/** @throws the database's error, with the slice left leased: its lease runs out and another attempt follows */
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
 * Whether the audience is cheap to read however many devices the app has: an index leads to the devices that can match,
 * or all match and the first hundred are enough. Any other filter may scan all devices, which planning does once.
 */
function isQuicklyRead(filters: readonly Filter[]): boolean {
  return filters.length === 0 || filters.some((filter) => !filter.not && isIndexed(filter));
}

function isIndexed(filter: Filter): boolean {
  return filter.kind === 'device_id' || (filter.kind === 'text' && filter.column === 'user_id');
}
