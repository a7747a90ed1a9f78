/** Decides which push tokens a notification is sent to, if not to the tokens for alerts. */
import { isNamed, type NamedToken, usualSending } from '../../gateways/apns/push-types.ts';
import type { ApnsOptions } from './apns-options.ts';
import { ACTIVITY_SECONDS_MAX, type LiveActivity } from './live-activity.ts';

interface Content {
  apns?: ApnsOptions;
  live_activity?: LiveActivity;
}

const DEFAULT_NAME = 'default';

export function namedTokenOf({ apns, live_activity: activity }: Content): NamedToken | undefined {
  if (activity !== undefined) {
    return activity.event === 'start'
      ? { type: 'live_activity_start', name: activity.attributes_type }
      : { type: 'live_activity', name: activity.activity_id };
  }
  const type = apns?.push_type;
  if (type === undefined || !isNamed(type)) return undefined;
  return { type, name: apns?.token_name ?? DEFAULT_NAME };
}

/** The time to live of a notification that does not give its own; undefined: the longest. */
export function usualTimeToLive({ apns, live_activity: activity }: Content): number | undefined {
  return activity === undefined ? usualSending(apns?.push_type).timeToLiveSeconds : ACTIVITY_SECONDS_MAX;
}
