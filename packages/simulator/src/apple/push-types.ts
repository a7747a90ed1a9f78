/**
 * Apple's requirements for each push type: the end of its topic, its content and its priority. Sources: Apple, "Sending
 * notification requests to APNs", "Starting and updating Live Activities with ActivityKit push notifications",
 * "Updating widgets with WidgetKit push notifications". Not simulated: `mdm`, which is sent by certificate and not by
 * token.
 */
import { z } from 'zod';
import type { ApplePayload } from './payload.ts';
import type { AppleReason } from './reasons.ts';

const topicEnds = {
  alert: '',
  background: '',
  location: '.location-query',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  pushtotalk: '.voip-ptt',
  liveactivity: '.push-type.liveactivity',
  widgets: '.push-type.widgets',
  controls: '.push-type.controls',
} as const;

export type ApplePushType = keyof typeof topicEnds;

const PAYLOAD_BYTES_MAX = 4096;
const VOIP_BYTES_MAX = 5120;

export function isPushType(text: string): text is ApplePushType {
  return Object.hasOwn(topicEnds, text);
}

export function payloadBytesMax(pushType: ApplePushType | undefined): number {
  return pushType === 'voip' ? VOIP_BYTES_MAX : PAYLOAD_BYTES_MAX;
}

/** @returns the bundle id of the app; undefined if the topic does not have the end that the push type demands */
export function bundleIdOf(topic: string, pushType: ApplePushType | undefined): string | undefined {
  const end = topicEnds[pushType ?? 'alert'];
  if (!topic.endsWith(end)) return undefined;
  return topic.slice(0, topic.length - end.length);
}

/** Seconds, not milliseconds, which are a frequent mistake. */
const unixSeconds = z.int().min(0).max(99_999_999_999);
const dictionary = z.record(z.string(), z.unknown());
const anyActivity = { timestamp: unixSeconds, 'stale-date': unixSeconds.optional() };

const activity = z.discriminatedUnion('event', [
  z.looseObject({
    event: z.literal('start'),
    ...anyActivity,
    'content-state': dictionary,
    'attributes-type': z.string().min(1),
    attributes: dictionary,
  }),
  z.looseObject({ event: z.literal('update'), ...anyActivity, 'content-state': dictionary }),
  z.looseObject({
    event: z.literal('end'),
    ...anyActivity,
    'content-state': dictionary.optional(),
    'dismissal-date': unixSeconds.optional(),
  }),
]);

/**
 * Checks that content and priority fit the push type. Without the header, Apple accepts the request and does not compare (the
 * header is required only on watchOS).
 * @param priority the header; a missing one means 10
 */
export function judgePushType(
  pushType: ApplePushType | undefined,
  { aps, visible, wakes }: ApplePayload,
  priority = '10',
): AppleReason | undefined {
  switch (pushType) {
    case 'alert':
      return wakes && !visible ? 'InvalidPushType' : undefined;
    case 'background':
      if (!wakes || visible) return 'InvalidPushType';
      return priority === '5' ? undefined : 'BadPriority';
    case 'liveactivity':
      if (!activity.safeParse(aps).success) return 'InvalidPushType';
      return priority === '5' || priority === '10' ? undefined : 'BadPriority';
    case 'widgets':
    case 'controls':
      return aps['content-changed'] === true ? undefined : 'InvalidPushType';
    case 'location':
    case 'voip':
    case 'complication':
    case 'fileprovider':
    case 'pushtotalk':
    case undefined:
      return undefined;
  }
}
