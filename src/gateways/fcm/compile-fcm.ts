/**
 * Compiles a push message for FCM. Data-only: the app's SDK draws the notification itself, so every value is
 * a string and everything the SDK needs lies in `data`.
 */
import { stringifyJson } from '../../json.ts';
import type { PushMessage } from '../gateway.ts';

export interface CompiledFcm {
  /** The request's JSON up to the recipient's token, and from there on. */
  beforeToken: string;
  afterToken: string;
}

/** Keys that mean something to iOS only. */
const IOS_KEYS: ReadonlySet<string> = new Set([
  'badge',
  'sound',
  'content_available',
  'mutable_content',
  'interruption_level',
  'relevance_score',
]);

export function compileFcm(message: PushMessage): CompiledFcm {
  const { payload, priority, timeToLiveSeconds } = message;
  const android = {
    priority,
    ttl: `${timeToLiveSeconds}s`,
    // FCM overwrites a `collapse_key` in the data with its own: the two are always the same.
    ...(payload.collapse_key !== undefined && { collapse_key: payload.collapse_key }),
  };
  return {
    beforeToken: '{"message":{"token":',
    afterToken: `,"data":${JSON.stringify(dataOf(message))},"android":${JSON.stringify(android)}}}`,
  };
}

/** The size of the data's keys and values in bytes: what Google holds against 4,096. */
export function fcmDataBytes(message: Pick<PushMessage, 'notificationId' | 'payload'>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(dataOf(message))) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return bytes;
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
