/**
 * Compiles a push message for FCM. Data-only: the app's SDK draws the notification itself, so every value is
 * a string and everything the SDK needs lies in `data`.
 */
import { stringifyJson } from '../../json.ts';
import type { PushMessage } from '../gateway.ts';

export interface CompiledFcm {
  /** The request's JSON up to the recipient's token, and from there on. */
  beforeToken: string;
  /** @param ttlSeconds what is left of the time to live */
  afterToken: (ttlSeconds: number) => string;
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
  const { payload, priority } = message;
  const data = JSON.stringify(dataOf(message));
  const android = (ttlSeconds: number) => ({
    priority,
    ttl: `${ttlSeconds}s`,
    // FCM overwrites a `collapse_key` in the data with its own: the two are always the same.
    ...(payload.collapse_key !== undefined && { collapse_key: payload.collapse_key }),
  });
  return {
    beforeToken: '{"message":{"token":',
    afterToken: (ttlSeconds) => `,"data":${data},"android":${JSON.stringify(android(ttlSeconds))}}}`,
  };
}

/**
 * What is left of the time to live, which for Google counts from when it takes the push: whole seconds, a begun one
 * included.
 */
export function secondsLeft({ dueAt, timeToLiveSeconds }: PushMessage, nowMs: number): number {
  const leftMs = dueAt.getTime() + timeToLiveSeconds * 1_000 - nowMs;
  return Math.min(Math.max(Math.ceil(leftMs / 1_000), 0), timeToLiveSeconds);
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
