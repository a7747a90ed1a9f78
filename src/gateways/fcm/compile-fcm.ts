/**
 * Compiles a push message for FCM. Everything is in `data`, as strings: the app's SDK draws the notification. For an
 * app without the SDK, `android.notification` makes Android draw it.
 */
import { stringifyJson } from '../../json/lossless.ts';
import type { Payload, PushMessage, PushTokenType } from '../gateway.ts';

export interface CompiledFcm {
  /** The request's JSON before and after the recipient's token. */
  beforeToken: Readonly<Record<PushTokenType, string>>;
  /** @param ttlSeconds the rest of the time to live */
  afterToken: (ttlSeconds: number) => string;
}

/** Keys for iOS only. */
const IOS_KEYS: ReadonlySet<string> = new Set([
  'badge',
  'sound',
  'content_available',
  'mutable_content',
  'interruption_level',
  'relevance_score',
]);

export function compileFcm(message: PushMessage): CompiledFcm {
  const { payload, priority } = message;
  const data = JSON.stringify(dataOf(message));
  const notification = systemNotificationOf(message);
  const android = (ttlSeconds: number) => ({
    priority,
    ttl: `${ttlSeconds}s`,
    // FCM overwrites the `collapse_key` in the data with this one, which is always the same.
    ...(payload.collapse_key !== undefined && { collapse_key: payload.collapse_key }),
    ...(notification !== undefined && { notification }),
  });
  return {
    beforeToken: { token: '{"message":{"token":', fid: '{"message":{"fid":' },
    afterToken: (ttlSeconds) => `,"data":${data},"android":${JSON.stringify(android(ttlSeconds))}}}`,
  };
}

/** The rest of the time to live, in seconds, rounded up: Google counts it from the moment it accepts the push. */
export function secondsLeft({ dueAt, timeToLiveSeconds }: PushMessage, nowMs: number): number {
  const leftMs = dueAt.getTime() + timeToLiveSeconds * 1_000 - nowMs;
  return Math.min(Math.max(Math.ceil(leftMs / 1_000), 0), timeToLiveSeconds);
}

/** Google's prefix for the fields of the notification on their way to the device. */
const NOTIFICATION_PREFIX = 'gcm.notification.';

type Message = Pick<PushMessage, 'notificationId' | 'payload' | 'android'>;

/**
 * The size of keys and values in bytes, which Google limits to 4,096. Google does not document how it counts a
 * notification; we count the fields that it passes to the device.
 */
export function fcmDataBytes(message: Message): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(dataOf(message))) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(systemNotificationOf(message) ?? {})) {
    bytes += NOTIFICATION_PREFIX.length + Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return bytes;
}

/**
 * The notification that Android draws (`AndroidNotification` of FCM HTTP v1); undefined if the app draws it, or if the
 * push has no text to show.
 */
function systemNotificationOf({
  notificationId,
  payload,
  android,
}: Message): Record<string, string> | undefined {
  const { title, alert: body, sound, _channel_id: channel } = payload;
  if (android === undefined || (title === undefined && body === undefined)) return undefined;
  const { icon, color } = android;
  const image = systemPicture(payload);
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(icon !== null && { icon }),
    ...(color !== null && { color }),
    ...(sound !== undefined && { sound }),
    // A repeated push replaces itself.
    tag: payload.collapse_key ?? notificationId,
    ...(channel !== undefined && { channel_id: channel }),
    ...(image !== undefined && { image }),
  };
}

/** The picture that Android loads for a push; https only, because apps allow nothing else by default. */
export function systemPicture({ image }: Payload): string | undefined {
  return typeof image === 'string' && URL.parse(image)?.protocol === 'https:' ? image : undefined;
}

function dataOf({
  notificationId,
  payload,
}: Pick<PushMessage, 'notificationId' | 'payload'>): Record<string, string> {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(payload)) {
    if (value === undefined || IOS_KEYS.has(key)) continue;
    data[key] = typeof value === 'string' ? value : stringifyJson(value);
  }
  data['_nid'] = notificationId;
  return data;
}
