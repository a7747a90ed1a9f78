/**
 * The reasons with which the simulated Apple refuses a push, a broadcast or the management of a channel, and their HTTP
 * status. Source of those for channels: Apple, "Handling error responses from Apple Push Notification service".
 */
const statusByReason = {
  BadChannelId: 400,
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadRequest: 400,
  BadTopic: 400,
  CannotCreateChannelConfig: 400,
  ChannelNotRegistered: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  FeatureNotEnabled: 400,
  InvalidPushType: 400,
  MissingChannelId: 400,
  MissingDeviceToken: 400,
  MissingPushType: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadEnvironmentKeyInToken: 403, // `BadEnvironmentKeyIdInToken` in Apple's table, but not in its answers
  ExpiredProviderToken: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
} as const satisfies Record<string, number>;

export type AppleReason = keyof typeof statusByReason;

export function appleStatus(reason: AppleReason): number {
  return statusByReason[reason];
}
