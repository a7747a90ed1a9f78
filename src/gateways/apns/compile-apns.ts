/** Compiles a push message for APNs: the JSON payload and the headers that every recipient's request shares. */
import { hash } from 'node:crypto';
import { Notification } from '@parse/node-apn';
import { stringifyJson } from '../../json/lossless.ts';
import type { Payload, PushMessage } from '../gateway.ts';

declare module '@parse/node-apn' {
  /** Documented as public by the package, but missing from its types. */
  interface Notification {
    headers(): Record<string, string | number>;
    compile(): string;
  }
}

/** Keys that are not sent under their own name: they go into `aps`, into a header, or to Android only. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'alert',
  'title',
  'subtitle',
  'badge',
  'sound',
  'collapse_key',
  'content_available',
  'mutable_content',
  'category',
  'interruption_level',
  'relevance_score',
  '_channel_id',
]);

/** Visible ASCII with spaces inside: the header values that RFC 9110, section 5.5, allows a sender. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

export interface CompiledApns {
  /** Alternating names and values: topic, push type, priority, expiration and collapse id. */
  headers: readonly string[];
  body: Buffer;
}

/** @param topic the app's bundle id */
export function compileApns(message: PushMessage, topic: string): CompiledApns {
  const { payload, notificationId, timeToLiveSeconds, dueAt } = message;
  const notification = notificationOf(message);
  const isBackground = isSilent(payload);
  notification.topic = topic;
  notification.pushType = isBackground ? 'background' : 'alert';
  // Apple rejects a background push with priority 10.
  notification.priority = message.priority === 'high' && !isBackground ? 10 : 5;
  notification.expiry = timeToLiveSeconds === 0 ? 0 : Math.floor(dueAt.getTime() / 1000) + timeToLiveSeconds;
  // The default is the notification's id, so that a repeated push replaces itself in the tray.
  notification.collapseId = headerText(payload.collapse_key ?? notificationId);
  return {
    headers: headersOf(notification),
    body: Buffer.from(stringifyJson(notification)),
  };
}

/** The headers that Apple's format requires, as alternating names and values. */
export function headersOf(notification: Notification): string[] {
  return Object.entries(notification.headers()).flatMap(([name, value]) => [name, String(value)]);
}

/**
 * A collapse key as a header value. A key that does not fit a header is replaced by its SHA-256 in hex: 64 characters,
 * Apple's limit. That includes text outside ASCII, which a receiver may read as Latin-1.
 */
function headerText(key: string): string {
  return HEADER_VALUE.test(key) ? key : hash('sha256', key);
}

/** The size of the compiled payload in bytes, which Apple limits to 4,096. */
export function apnsPayloadBytes(message: Pick<PushMessage, 'notificationId' | 'payload'>): number {
  return Buffer.byteLength(stringifyJson(notificationOf(message)));
}

/**
 * The `apns-id` of one push: a lower-case UUID (version 8, RFC 9562) derived from the notification and the device, so that
 * a repeated push has the same one.
 */
export function apnsId(notificationId: string, deviceId: string): string {
  const hex = hash('sha256', `${notificationId}/${deviceId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function notificationOf({
  notificationId,
  payload,
}: Pick<PushMessage, 'notificationId' | 'payload'>): Notification {
  const notification = new Notification();
  if (payload.sound !== undefined) notification.sound = payload.sound;
  if (payload.content_available === true) notification.contentAvailable = true;
  if (payload.mutable_content === true) notification.mutableContent = true;
  // The package has no setter for some of these, and its badge setter drops a number that is kept as raw JSON.
  const { aps } = notification;
  const alert = alertOf(payload);
  if (alert !== undefined) aps.alert = alert;
  if (payload.badge !== undefined) aps.badge = payload.badge;
  if (payload.category !== undefined) aps.category = payload.category;
  if (payload.interruption_level !== undefined) aps['interruption-level'] = payload.interruption_level;
  if (payload.relevance_score !== undefined) aps['relevance-score'] = payload.relevance_score;
  const custom = Object.fromEntries(Object.entries(payload).filter(([key]) => !KNOWN_KEYS.has(key)));
  // Set whole, because the package omits an empty `aps`, which Apple's format requires.
  notification.rawPayload = { ...custom, aps, _nid: notificationId };
  return notification;
}

function alertOf({ alert, title, subtitle }: Payload): Notification['aps']['alert'] {
  if (title === undefined && subtitle === undefined) return alert;
  return {
    ...(title !== undefined && { title }),
    ...(subtitle !== undefined && { subtitle }),
    ...(alert !== undefined && { body: alert }),
  };
}

/** Apple's background push: it wakes the app and shows nothing. */
function isSilent(payload: Payload): boolean {
  return (
    payload.content_available === true &&
    payload.alert === undefined &&
    payload.title === undefined &&
    payload.subtitle === undefined &&
    payload.badge === undefined &&
    payload.sound === undefined
  );
}
