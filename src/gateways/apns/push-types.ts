/**
 * The push types of APNs, and what Apple demands of each. Source: Apple, "Sending notification requests to APNs". `mdm`
 * is left out, because Apple accepts it only with the certificate of a device management server.
 */

import { PAYLOAD_BYTES_MAX } from '../payload.ts';

/** Push types with push tokens of their own: Apple refuses the token for alerts. */
const namedPushTypes = [
  'widgets',
  'controls',
  'location',
  'complication',
  'fileprovider',
  'pushtotalk',
  'voip',
] as const;

/** The push types that a notification may name; Live Activities have a key of their own. */
export const pushTypes = ['alert', 'background', ...namedPushTypes] as const;

export type PushType = (typeof pushTypes)[number];

export function isNamed(type: PushType): type is (typeof namedPushTypes)[number] {
  return type !== 'alert' && type !== 'background';
}

/** The purposes of push tokens other than the one for alerts. */
export const namedTokenTypes = ['live_activity', 'live_activity_start', ...namedPushTypes] as const;

export type NamedTokenType = (typeof namedTokenTypes)[number];

/** Names the push tokens that a notification is sent to, one for each device that has it. */
export interface NamedToken {
  type: NamedTokenType;
  name: string;
}

/** Whether the push says only that something has changed. */
export function hasFixedContent(type: PushType): boolean {
  return type === 'widgets' || type === 'controls';
}

/**
 * Defaults for a push whose notification does not set its priority or time to live. A default that is missing follows
 * from the notification.
 */
export interface UsualSending {
  priority?: 'high' | 'normal';
  /** 0: Apple tries once. */
  timeToLiveSeconds?: number;
}

/**
 * For each push type the part of the topic that Apple demands after the bundle id, and what is usual.
 * Sources: Apple, "Responding to VoIP Notifications from PushKit" (an expiration of 0, or of a few seconds),
 * "Creating a Push to Talk app" (priority 10, expiration 0), "Sending notification requests to APNs" (a
 * location that is not needed at once has priority 5). Apple says nothing about the others, and assumes 10
 * for a request without the header.
 */
const types: Readonly<Record<PushType | 'liveactivity', UsualSending & { suffix: string }>> = {
  alert: { suffix: '' },
  background: { suffix: '' },
  liveactivity: { suffix: '.push-type.liveactivity' },
  widgets: { suffix: '.push-type.widgets', priority: 'high' },
  controls: { suffix: '.push-type.controls', priority: 'high' },
  location: { suffix: '.location-query', priority: 'normal' },
  complication: { suffix: '.complication', priority: 'high' },
  fileprovider: { suffix: '.pushkit.fileprovider', priority: 'high' },
  pushtotalk: { suffix: '.voip-ptt', priority: 'high', timeToLiveSeconds: 0 },
  voip: { suffix: '.voip', priority: 'high', timeToLiveSeconds: 0 },
};

export function topicSuffix(type: PushType | 'liveactivity'): string {
  return types[type].suffix;
}

/** @param type undefined: it follows from the payload */
export function usualSending(type: PushType | undefined): UsualSending {
  return types[type ?? 'alert'];
}

const VOIP_BYTES_MAX = 5120;

/** The most bytes that Apple accepts. */
export function apnsBytesMax(type: PushType | undefined): number {
  return type === 'voip' ? VOIP_BYTES_MAX : PAYLOAD_BYTES_MAX;
}
