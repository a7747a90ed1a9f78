/** Validates a push to a browser by RFC 8030, 8188, 8291 and 8292, and by what is known of the service whose endpoint it is. */
import type { Exchange } from '../listener.ts';
import { openMessage, type Opened, readMessage } from './decrypt.ts';
import { refuse, type WebRefusal } from './refusals.ts';
import type { KnownSubscription, WebService } from './subscriptions.ts';
import type { Vapid } from './vapid.ts';

export const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
export type WebUrgency = (typeof URGENCIES)[number];

export interface AcceptedWebPush {
  /** In seconds, at most what the service keeps. */
  ttl: number;
  urgency: WebUrgency;
  topic: string | null;
  /** The contact that the sender names. */
  subject: string;
  /** Null without a body, or where a body of the right form is not decrypted. */
  opened: Opened | null;
}

export interface WebRequestContext {
  vapid: Vapid;
  service: WebService;
  subscription: KnownSubscription | undefined;
  origin: string;
  /** Whether bodies are decrypted. */
  decrypt: boolean;
}

const BODY_BYTES_MAX = 4096;
/** Firefox on Android gets its pushes through FCM, and refuses bodies from some 2,744 to 3,070 bytes on. */
const ANDROID_BODY_BYTES_MAX = 2743;
const DAY_SECONDS = 86_400;
const ttlMax: Readonly<Partial<Record<WebService, number>>> = {
  google: 28 * DAY_SECONDS,
  mozilla: 30 * DAY_SECONDS,
  'mozilla-android': 30 * DAY_SECONDS,
  apple: 30 * DAY_SECONDS,
};
const TOPIC = /^[\w-]{1,32}$/;
/** Apple asks for an address that can exist, without a display name, a space or brackets. */
const APPLE_SUBJECT =
  /^(?:mailto:[^\s<>]+@|https:\/\/)[\w.-]+\.(?!(?:invalid|localhost)\b)\w+(?:[/:?][^\s<>]*)?$/i;

export function judgeWebPush(exchange: Exchange, context: WebRequestContext): AcceptedWebPush | WebRefusal {
  const { service, subscription, origin, vapid } = context;
  if (subscription === undefined) return refuse('UnknownEndpoint', 'There is no such subscription.');
  if (exchange.method !== 'POST') return refuse('MethodNotAllowed', 'Only POST is allowed.');
  const { boundTo, goneStatus } = subscription;
  const sender = vapid.check(exchange.headers.authorization, origin);
  if ('reason' in sender) return sender;
  if (service === 'apple' && !APPLE_SUBJECT.test(sender.subject)) {
    return refuse('BadVapid', 'The subject is no address that can exist.');
  }
  if (boundTo !== undefined && boundTo !== sender.publicKey) return refuse('VapidKeyMismatch', MISMATCH);
  if (goneStatus !== undefined) {
    return { ...refuse('Gone', 'push subscription has unsubscribed or expired.'), status: goneStatus };
  }
  const headers = judgeHeaders(exchange, service);
  if ('reason' in headers) return headers;
  const bytesMax = service === 'mozilla-android' ? ANDROID_BODY_BYTES_MAX : BODY_BYTES_MAX;
  if (exchange.bodyBytes > bytesMax) return refuse('PayloadTooLarge', `The body is over ${bytesMax} bytes.`);
  const accepted = { ...headers, subject: sender.subject };
  if (exchange.bodyBytes === 0) return { ...accepted, opened: null };
  const message = readMessage(exchange.body);
  if ('fault' in message) return { ...accepted, opened: message };
  if (message.keyId.toString('base64url') === sender.publicKey) {
    return refuse('SharedKey', 'The body is encrypted with the key pair that signs.');
  }
  return { ...accepted, opened: context.decrypt ? openMessage(message, subscription.keys()) : null };
}

const MISMATCH =
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.';

function judgeHeaders(
  exchange: Exchange,
  service: WebService,
): Pick<AcceptedWebPush, 'ttl' | 'urgency' | 'topic'> | WebRefusal {
  const header = (name: string): string | undefined => exchange.headers[name]?.toString();
  const ttl = header('ttl');
  if (ttl === undefined || !/^\d+$/.test(ttl))
    return refuse('BadTtl', 'TTL is missing, or not digits alone.');
  const urgency = URGENCIES.find((name) => name === (header('urgency') ?? 'normal'));
  if (urgency === undefined) return refuse('BadUrgency', `Urgency is none of ${URGENCIES.join(', ')}.`);
  const topic = header('topic') ?? null;
  if (topic !== null && !(TOPIC.test(topic) && (service !== 'apple' || topic.length % 4 !== 1))) {
    return refuse('BadTopic', 'Topic is not 1 to 32 characters of base64url that decode.');
  }
  if (header('encryption') !== undefined || header('crypto-key') !== undefined) {
    return refuse('BadContentEncoding', 'Encryption and Crypto-Key do not go with aes128gcm.');
  }
  if (exchange.bodyBytes > 0 && header('content-encoding') !== 'aes128gcm') {
    return refuse('BadContentEncoding', 'Content-Encoding is not aes128gcm.');
  }
  // Microsoft caches what has no cache policy, which a TTL of 0 forbids.
  const isCached = header('x-wns-cache-policy') !== 'no-cache';
  if (service === 'windows' && isCached !== Number(ttl) > 0) {
    return refuse('BadCachePolicy', 'Ttl value conflicts with X-WNS-Cache-Policy.');
  }
  return { ttl: Math.min(Number(ttl), ttlMax[service] ?? Infinity), urgency, topic };
}
