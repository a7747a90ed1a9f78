import { isTransportReason, type TransportReason } from '../http2-client/transport-reason.ts';

/**
 * A gateway's reason as the value of a label: the documented ones as they are, everything else under a few
 * names, because a label must not take whatever text a gateway or a proxy may send.
 */

const DOCUMENTED: ReadonlySet<string> = new Set([
  // Apple, "Handling notification responses from APNs"
  'BadCertificate',
  'BadCertificateEnvironment',
  'BadCollapseId',
  'BadDeviceToken',
  'BadEnvironmentKeyIdInToken',
  'BadExpirationDate',
  'BadMessageId',
  'BadPath',
  'BadPriority',
  'BadTopic',
  'DeviceTokenNotForTopic',
  'DuplicateHeaders',
  'ExpiredProviderToken',
  'ExpiredToken',
  'Forbidden',
  'IdleTimeout',
  'InternalServerError',
  'InvalidProviderToken',
  'InvalidPushType',
  'MethodNotAllowed',
  'MissingDeviceToken',
  'MissingProviderToken',
  'MissingTopic',
  'PayloadEmpty',
  'PayloadTooLarge',
  'ServiceUnavailable',
  'Shutdown',
  'TooManyProviderTokenUpdates',
  'TooManyRequests',
  'TopicDisallowed',
  'Unregistered',
  'UnrelatedKeyIdInToken',
  // Google, "ErrorCode" of FCM's v1 reference and the statuses that come without one
  'INTERNAL',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'QUOTA_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'SENDER_ID_MISMATCH',
  'THIRD_PARTY_AUTH_ERROR',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'UNREGISTERED',
  'UNSPECIFIED_ERROR',
]);

/** What the HTTP/2 client reports where no gateway has answered. */
const OF_TRANSPORT = {
  no_free_stream: 'no_free_stream',
  not_wanted: 'withdrawn',
  headers_too_large: 'headers_too_large',
  pool_closed: 'connection',
  refused_stream: 'refused_unprocessed',
  refused_by_goaway: 'refused_unprocessed',
  stream_reset: 'stream_reset',
  answer_timeout: 'connection',
  goaway: 'refused_unprocessed',
  protocol_error: 'protocol_error',
  not_http2: 'protocol_error',
  connection_failed: 'connection',
  connect_timeout: 'connection',
  ping_timeout: 'connection',
  requests_unanswered: 'connection',
  drain_timeout: 'connection',
  closed_by_peer: 'connection',
  closed_by_us: 'connection',
} as const satisfies Record<TransportReason, string>;

/** What our own side says where the gateway says nothing, from `delivery/slice-run` and `gateways/fcm/access-token`. */
const OURS: readonly (readonly [RegExp, string])[] = [
  [/^HTTP [45]\d\d$/, 'http_error'],
  [/^no \w+ credentials$/, 'no_credentials'],
  [/ is paused: /, 'paused'],
  [/^time to live over /, 'expired'],
  [/Google access token/, 'access_token'],
];

/** One of some sixty values; `other` for a reason that nobody has documented. */
export function reasonLabel(reason: string): string {
  if (DOCUMENTED.has(reason)) return reason;
  if (isTransportReason(reason)) return OF_TRANSPORT[reason];
  return OURS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
}
