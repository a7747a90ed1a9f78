/**
 * Maps the reason of a push to the value of a metric label. The set of values is fixed, although a gateway or a proxy
 * may send any text: documented reasons stay as they are, our own codes are from a closed list, and all others become
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

/** Our own reasons that share a label. */
const SHARED: ReadonlyMap<OwnReason, string> = new Map([
  ['route_paused', 'paused'],
  ['access_token_refused', 'access_token'],
  ['access_token_unavailable', 'access_token'],
  ['service_too_slow', 'connection'],
  // Reasons of the HTTP/2 client
  ['not_wanted', 'withdrawn'],
  ['pool_closed', 'connection'],
  ['refused_stream', 'refused_unprocessed'],
  ['refused_by_goaway', 'refused_unprocessed'],
  ['answer_timeout', 'connection'],
  ['goaway', 'refused_unprocessed'],
  ['not_http2', 'protocol_error'],
  ['connection_failed', 'connection'],
  ['connect_timeout', 'connection'],
  ['ping_timeout', 'connection'],
  ['requests_unanswered', 'connection'],
  ['drain_timeout', 'connection'],
  ['closed_by_peer', 'connection'],
  ['closed_by_us', 'connection'],
]);

/** Reasons of error answers in which the gateway gave no reason of its own. */
const HTTP_ERRORS: ReadonlySet<string> = new Set(
  Array.from({ length: 200 }, (_, index) => statusReason(400 + index)),
);

/** @returns one of about sixty values; `other` for a reason that is not documented */
export function reasonLabel(reason: string): string {
  if (DOCUMENTED.has(reason)) return reason;
  if (isOwnReason(reason)) return SHARED.get(reason) ?? reason;
  return HTTP_ERRORS.has(reason) ? 'http_error' : 'other';
}
