/** What is to be stored for a notification: its row, its audience, and whether it may be claimed. */
import { everyone, onTheFly, type Specification } from '../../audiences/find-or-create.ts';
import { type DeviceKey, deviceKeyOf, keyOfDevices, keyOfUsers } from '../../targeting/devices-by-key.ts';
import { isUuid } from '../../uuid.ts';
import type { Idempotency } from '../idempotency.ts';
import { type NotificationContent, sendingRulesFrom } from '../message.ts';
import { namedTokenOf } from '../apns/named-token.ts';
import { filtersJson, type Target } from '../target.ts';

export interface NewNotification {
  app_id: string;
  id: string;
  /** JSON, without sensitive texts. */
  body: string;
  /** The JSON as submitted, encrypted, if it has sensitive texts. */
  encrypted_body?: Buffer;
  created_at: Date;
  due_at: Date;
  request_id: string;
  traceparent: string | null;
  /** The id of an API key or of a user; null if there is none. */
  made_by: string | null;
  /** JSON of a `Moment`, if its devices are due at different moments. */
  moment?: string;
}

export interface Line {
  row: NewNotification;
  selection: Selection;
  /** From `recipientsOf`. */
  recipients: readonly string[];
  idempotency: Idempotency | undefined;
  /** Set if it may be claimed in the statement that stores it. */
  claim?: ClaimWish | undefined;
  /** Set if it replaces older updates of a Live Activity. */
  activity?: ActivityPush | undefined;
}

/** The devices of a notification to few devices or users that is to be sent at once. */
export interface ClaimWish extends DeviceKey {
  /** The most devices that it may have; with more of them it is not claimed. */
  devicesMax: number;
  content: NotificationContent;
}

/** @returns undefined if a worker must plan it */
export function claimWishOf(target: Target, content: NotificationContent): ClaimWish | undefined {
  const { dryRun, maxRecipients, group } = sendingRulesFrom(content);
  // Claims are sent to the push tokens of the devices for alerts.
  const isPlanned = dryRun || group !== null || namedTokenOf(content) !== undefined;
  const key = isPlanned ? undefined : keyOf(target);
  return key && { ...key, devicesMax: maxRecipients ?? Number.POSITIVE_INFINITY, content };
}

function keyOf(target: Target): DeviceKey | undefined {
  switch (target.kind) {
    case 'device_id':
      return keyOfDevices([target.id]);
    case 'user_id':
      return keyOfUsers([target.id]);
    case 'on_the_fly':
      return deviceKeyOf(target.filters);
    case 'everyone':
    case 'stored':
      return undefined;
  }
}

/** The devices of a notification: an audience that is found or made, a stored one, or filters of its own (JSON). */
type Selection =
  | { kind: 'specified'; specification: Specification }
  | { kind: 'stored'; audienceId: string }
  | { kind: 'own'; filters: string }
  | { kind: 'unknown' };

export function selectionOf(target: Target): Selection {
  switch (target.kind) {
    case 'everyone':
      return { kind: 'specified', specification: everyone };
    case 'on_the_fly':
      return { kind: 'specified', specification: onTheFly(target.filters) };
    case 'stored': {
      const { audienceId } = target;
      return isUuid(audienceId)
        ? { kind: 'stored', audienceId: audienceId.toLowerCase() }
        : { kind: 'unknown' };
    }
    case 'device_id':
    case 'user_id':
      return { kind: 'own', filters: filtersJson(target) };
  }
}

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
