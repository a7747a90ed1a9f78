import type { NotificationReply } from '../../../notifications/look-up/notification-reply.ts';
import type { Status } from '../../../status/status.ts';
import { holdsPushes } from '../../../status/trouble.ts';

/** Nobody knows when a notification ends while a trouble of the server or of its app holds pushes. */
export function withKnownEnds(
  status: Pick<Status, 'ofApp'>,
  appId: string,
  notifications: readonly NotificationReply[],
): readonly NotificationReply[] {
  const isKnown = notifications.every(({ estimated_seconds_left: left }) => left === null);
  if (isKnown || !status.ofApp(appId).some(holdsPushes)) return notifications;
  return notifications.map((notification) => ({ ...notification, estimated_seconds_left: null }));
}
