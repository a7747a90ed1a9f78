/**
 * Maps the reason of a push to the value of a metric label. The set of values is fixed, although a gateway or a proxy
 * may send any text: documented reasons stay as they are, our own codes share a few labels, and all others become
 * `other`.
 */
import { isOwnReason, type OwnReason, statusReason } from '../gateways/reason.ts';

const DOCUMENTED: ReadonlySet<string> = new Set([
  // Apple, "Handling notification responses from APNs"
  'BadCertificate',
  'BadCertificateEnvironment',
  'BadCollapseId',
  'BadDeviceToken',
  'BadEnvironmentKeyIdInToken',
  'BadEnvironmentKeyInToken',
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
  // Google, "ErrorCode" of FCM's v1 reference and the statuses that come without such a code
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
  // Ours, of devices that are left out because of their moment
  'no_time_zone',
  'local_time_past',
  'quiet_hours',
  'held_too_long',
]);

/** Labels of our own reasons. */
const OWN_LABELS = {
  no_credentials: 'no_credentials',
  route_paused: 'paused',
  expired: 'expired',
  access_token_refused: 'access_token',
  access_token_unavailable: 'access_token',
  // Reasons of the HTTP/2 client
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
  missing_attribute: 'missing_attribute',
  held_out: 'held_out',
  replaced: 'replaced',
  activity_ended: 'activity_ended',
  stopped_the_process: 'stopped_the_process',
  not_possible: 'not_possible',
  not_saved: 'not_saved',
  too_large: 'too_large',
  subscription_gone: 'subscription_gone',
  subscription_unknown: 'subscription_unknown',
  wrong_vapid_key: 'wrong_vapid_key',
  nothing_to_show: 'nothing_to_show',
  host_not_allowed: 'host_not_allowed',
  bad_keys: 'bad_keys',
  service_too_slow: 'connection',
} as const satisfies Record<OwnReason, string>;

/** Reasons of error answers in which the gateway gave no reason of its own. */
const HTTP_ERRORS: ReadonlySet<string> = new Set(
  Array.from({ length: 200 }, (_, index) => statusReason(400 + index)),
);

/** @returns one of about sixty values; `other` for a reason that is not documented */
export function reasonLabel(reason: string): string {
  if (DOCUMENTED.has(reason)) return reason;
  if (isOwnReason(reason)) return OWN_LABELS[reason];
  return HTTP_ERRORS.has(reason) ? 'http_error' : 'other';
}
