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

/**
 * What our own side says where the gateway says nothing, from `delivery/slice-run`, `gateways/http2-*` and
 * `gateways/fcm/access-token`. Codes of Node's network, TLS and HTTP/2 errors are all of the connection.
 */
const OURS: readonly (readonly [RegExp, string])[] = [
  [/^HTTP [45]\d\d$/, 'http_error'],
  [/^no \w+ credentials$/, 'no_credentials'],
  [/ is paused: /, 'paused'],
  [/^time to live over /, 'expired'],
  [/Google access token/, 'access_token'],
  [/^waited too long for a free stream$/, 'no_free_stream'],
  [/GOAWAY|^REFUSED_STREAM$/, 'refused_unprocessed'],
  [/^RST_STREAM with code /, 'stream_reset'],
  [/^the headers are too large$/, 'headers_too_large'],
  [/^no longer wanted$/, 'withdrawn'],
  [/^HTTP\/2: |does not speak HTTP\/2$/, 'protocol_error'],
  [/^(E[A-Z]{2,}|EAI_AGAIN|ERR_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/, 'connection'],
  [
    /^(closed by|connecting for|draining for|PING |no answer|an answer|requests go |the stream|the session|the pool)/,
    'connection',
  ],
];

/** One of some sixty values; `other` for a reason that nobody has documented. */
export function reasonLabel(reason: string): string {
  if (DOCUMENTED.has(reason)) return reason;
  return OURS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
}
