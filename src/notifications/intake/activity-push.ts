import { isUuid } from '../../uuid.ts';
import type { NotificationContent } from '../message.ts';
import type { Target } from '../target.ts';

/** An update or end of a Live Activity, as stored for the updates that it replaces (`activity_pushes`). */
export interface ActivityPush {
  activityId: string;
  event: 'update' | 'end';
  /** Null: every device with the activity. */
  deviceId: string | null;
}

/** @returns undefined if the notification replaces nothing */
export function activityPushOf(target: Target, content: NotificationContent): ActivityPush | undefined {
  const { live_activity: activity, dry_run: isDryRun } = content;
  if (activity === undefined || activity.event === 'start' || isDryRun === true) return undefined;
  const { event, activity_id: activityId } = activity;
  if (target.kind !== 'device_id') return { activityId, event, deviceId: null };
  return isUuid(target.id) ? { activityId, event, deviceId: target.id } : undefined;
}
