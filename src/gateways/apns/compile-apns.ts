/** Compiles a push message for APNs: the JSON payload and the headers that every recipient's request shares. */
import { hash } from 'node:crypto';
import Notification from '@parse/node-apn/lib/notification/index.js';
import { stringifyJson } from '../../json/lossless.ts';
import { type ApnsFields, changedBadge, type PushMessage } from '../gateway.ts';
import { NOT_CUSTOM, type Payload, showsText } from '../payload.ts';
import { activityAps } from './live-activity.ts';
import { hasFixedContent, type PushType, topicSuffix } from './push-types.ts';

/** Visible ASCII with spaces inside: the header values that RFC 9110, section 5.5, allows a sender. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

export interface CompiledApns {
  /** Alternating names and values: topic, push type, priority, expiration and, for most, collapse id. */
  headers: readonly string[];
  body: Buffer;
}

/** The fields of a message that are in the body. */
type BodyFields = Pick<PushMessage, 'notificationId' | 'payload' | 'receiptLimit' | 'apns'>;

export function compileApns(message: PushMessage, bundleId: string): CompiledApns {
  const { payload, notificationId, timeToLiveSeconds, dueAt, apns, token } = message;
  const notification = new Notification();
  // Set whole, because the package has no setter for some keys, and omits an empty `aps`, which Apple's format requires.
  notification.rawPayload = bodyOf(message, payload);
  const pushType = pushTypeOf(message);
  notification.topic = `${bundleId}${topicSuffix(pushType)}`;
  // Apple rejects a background push with priority 10.
  notification.priority = message.priority === 'high' && pushType !== 'background' ? 10 : 5;
  notification.expiry = timeToLiveSeconds === 0 ? 0 : Math.floor(dueAt.getTime() / 1000) + timeToLiveSeconds;
  // The default is the notification's id, so that a repeated push replaces itself in the tray.
  const collapseKey = payload.collapse_key ?? (token === undefined ? notificationId : undefined);
  if (collapseKey !== undefined) notification.collapseId = headerText(collapseKey);
  // The package's list of push types is not complete.
  const headers = [...headersOf(notification), 'apns-push-type', pushType];
  return {
    headers: apns?.headers === undefined ? headers : replaced(headers, apns.headers),
    body: Buffer.from(stringifyJson(notification)),
  };
}

/** Live Activities have a push type that a notification does not name. */
function pushTypeOf({ apns, payload }: PushMessage): PushType | 'liveactivity' {
  if (apns?.activity !== undefined) return 'liveactivity';
  return apns?.pushType ?? (isSilent(payload, apns) ? 'background' : 'alert');
}

/** @param headers alternating names and values */
function replaced(headers: readonly string[], by: Readonly<Record<string, string>>): string[] {
  const kept = headers.filter((_text, index) => !Object.hasOwn(by, headers[index - (index % 2)] ?? ''));
  return [...kept, ...Object.entries(by).flat()];
}

/** The body for a recipient with a payload of its own; it uses the headers of the message. */
export function apnsBody(message: BodyFields, own: Payload): Buffer {
  return Buffer.from(stringifyJson(bodyOf(message, own)));
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
export function apnsPayloadBytes(message: BodyFields): number {
  return Buffer.byteLength(stringifyJson(bodyOf(message, message.payload)));
}

/**
 * The `apns-id` of one push: a lower-case UUID (version 8, RFC 9562) derived from the notification and the device, so that
 * a repeated push has the same one.
 */
export function apnsId(notificationId: string, deviceId: string): string {
  const hex = hash('sha256', `${notificationId}/${deviceId}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The body before it is JSON. It is made for each recipient with a payload of its own, so it uses no setters of the package. */
function bodyOf(
  { notificationId, receiptLimit, apns }: BodyFields,
  payload: Payload,
): Record<string, unknown> & { aps: object } {
  // Nothing besides `aps`, because no code of the app would read it.
  if (apns?.activity !== undefined) return { aps: activityAps(apns.activity, payload) };
  if (apns?.pushType !== undefined && hasFixedContent(apns.pushType))
    return { aps: { 'content-changed': true } };
  const custom: Record<string, unknown> = {};
  for (const key of Object.keys(payload)) {
    if (!NOT_CUSTOM.has(key)) custom[key] = payload[key];
  }
  const body = { ...custom, aps: apsOf(payload, receiptLimit, apns), _nid: notificationId };
  return receiptLimit === undefined ? body : { ...body, _rcpt: receiptLimit };
}

function apsOf(
  payload: Payload,
  receiptLimit: PushMessage['receiptLimit'],
  apns: PushMessage['apns'],
): Record<string, unknown> {
  const aps: Record<string, unknown> = {};
  if (payload.sound !== undefined) aps['sound'] = payload.sound;
  if (payload.content_available === true) aps['content-available'] = 1;
  // Without it, iOS does not let an app know that it has received a push.
  const isMutable = payload.mutable_content ?? (receiptLimit !== undefined && !isSilent(payload, apns));
  if (isMutable) aps['mutable-content'] = 1;
  const alert = alertOf(payload);
  if (alert !== undefined) aps['alert'] = alert;
  const badge = payload.badge ?? (apns?.badge && changedBadge(apns.badge));
  if (badge !== undefined) aps['badge'] = badge;
  if (payload.category !== undefined) aps['category'] = payload.category;
  if (payload.interruption_level !== undefined) aps['interruption-level'] = payload.interruption_level;
  if (payload.relevance_score !== undefined) aps['relevance-score'] = payload.relevance_score;
  if (apns?.aps !== undefined) Object.assign(aps, apns.aps);
  return aps;
}

/** Texts that the phone takes from the app's resources. Apple writes the names with hyphens. */
const IN_RESOURCES = [
  'title_loc_key',
  'title_loc_args',
  'subtitle_loc_key',
  'subtitle_loc_args',
  'loc_key',
  'loc_args',
] as const;

function alertOf(payload: Payload): string | Record<string, unknown> | undefined {
  const { alert, title, subtitle, loc_key, title_loc_key, subtitle_loc_key } = payload;
  const isInResources = (loc_key ?? title_loc_key ?? subtitle_loc_key) !== undefined;
  if (title === undefined && subtitle === undefined && !isInResources) return alert;
  const texts: Record<string, unknown> = {
    ...(title !== undefined && { title }),
    ...(subtitle !== undefined && { subtitle }),
    ...(alert !== undefined && { body: alert }),
  };
  if (!isInResources) return texts;
  for (const key of IN_RESOURCES) {
    if (payload[key] !== undefined) texts[key.replaceAll('_', '-')] = payload[key];
  }
  return texts;
}

/** Apple's background push: it wakes the app and shows nothing. */
export function isSilent(payload: Payload, apns?: Pick<ApnsFields, 'aps' | 'badge'>): boolean {
  return (
    payload.content_available === true &&
    !showsText(payload) &&
    payload.subtitle === undefined &&
    payload.subtitle_loc_key === undefined &&
    payload.badge === undefined &&
    apns?.badge === undefined &&
    payload.sound === undefined &&
    apns?.aps?.sound === undefined
  );
}
