/**
 * Compiles a push message for FCM. Everything is in `data`, as strings: the app's SDK draws the notification. For an
 * app without the SDK, `android.notification` makes Android draw it.
 */
import { stringifyJson } from '../../json/lossless.ts';
import type { PushMessage } from '../gateway.ts';
import { ENCRYPTED_TEXT, httpsAddress, type Payload, showsText } from '../payload.ts';

/** Keys for iOS only. */
const IOS_KEYS: ReadonlySet<string> = new Set([
  'badge',
  'sound',
  'content_available',
  'mutable_content',
  'interruption_level',
  'relevance_score',
]);

/** @returns the request's JSON before and after the recipient's token */
export function compileFcm(message: PushMessage) {
  const { priority, fcm } = message;
  const end = (
    { data, collapseKey, notification }: ReturnType<typeof requestFieldsOf>,
    ttlSeconds: number,
  ): string => {
    const android = {
      priority,
      ttl: `${ttlSeconds}s`,
      // FCM overwrites the `collapse_key` in the data with this one, which is always the same.
      ...(collapseKey !== undefined && { collapse_key: collapseKey }),
      ...(notification !== undefined && { notification }),
      ...fcm?.config,
    };
    return `,"data":${data},"android":${JSON.stringify(android)}}}`;
  };
  const shared = requestFieldsOf(message);
  return {
    beforeToken: { token: '{"message":{"token":', fid: '{"message":{"fid":' },
    /**
     * @param ttlSeconds the rest of the time to live
     * @param own the payload of a recipient that has one of its own
     */
    afterToken: (ttlSeconds: number, own?: Payload): string =>
      end(own === undefined ? shared : requestFieldsOf({ ...message, payload: own }), ttlSeconds),
  };
}

/** The fields of a request that come from the payload. */
function requestFieldsOf(message: PushMessage) {
  return {
    data: JSON.stringify(dataOf(message)),
    collapseKey: message.payload.collapse_key,
    notification: systemNotificationOf(message),
  };
}

/** Google's prefix for the fields of the notification on their way to the device. */
const NOTIFICATION_PREFIX = 'gcm.notification.';

type Message = Pick<PushMessage, 'notificationId' | 'payload' | 'receiptLimit' | 'android' | 'fcm'>;

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
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    bytes += NOTIFICATION_PREFIX.length + Buffer.byteLength(key) + Buffer.byteLength(text);
  }
  return bytes;
}

/**
 * The notification that Android draws (`AndroidNotification` of FCM HTTP v1); undefined if the app draws it, if the push has no
 * text to show, or if the app has to open an encrypted one: Android would not wake it.
 */
function systemNotificationOf({
  notificationId,
  payload,
  android,
  fcm,
}: Message): Record<string, string | number | string[]> | undefined {
  const { title, alert: body, sound, _channel_id: channel } = payload;
  const { loc_key, loc_args, title_loc_key, title_loc_args } = payload;
  if (android === undefined || !showsText(payload) || payload[ENCRYPTED_TEXT] !== undefined) return undefined;
  const { icon, color } = android;
  // Apps allow nothing else by default.
  const image = httpsAddress(payload.image);
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(title_loc_key !== undefined && { title_loc_key }),
    ...(title_loc_args !== undefined && { title_loc_args }),
    ...(loc_key !== undefined && { body_loc_key: loc_key }),
    ...(loc_args !== undefined && { body_loc_args: loc_args }),
    ...(icon !== null && { icon }),
    ...(color !== null && { color }),
    ...(sound !== undefined && { sound }),
    // A repeated push replaces itself.
    tag: payload.collapse_key ?? notificationId,
    ...(channel !== undefined && { channel_id: channel }),
    ...(image !== undefined && { image }),
    ...fcm?.drawn,
  };
}

function dataOf({
  notificationId,
  payload,
  receiptLimit,
}: Pick<PushMessage, 'notificationId' | 'payload' | 'receiptLimit'>): Record<string, string> {
  const data: Record<string, string> = {};
  for (const [key, value] of Object.entries(payload)) {
    if (value === undefined || IOS_KEYS.has(key)) continue;
    data[key] = typeof value === 'string' ? value : stringifyJson(value);
  }
  data['_nid'] = notificationId;
  if (receiptLimit !== undefined) data['_rcpt'] = String(receiptLimit);
  return data;
}
