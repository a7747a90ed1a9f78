/**
 * Explains the reasons why pushes were not accepted: what each means for the app, and what to do. Sources: Apple,
 * "Handling notification responses from APNs"; Google, "FCM error codes".
 */
import { CONFIRMED_DEAD, isOwnReason, reasonSentence } from './reason.ts';

const OWN_CREDENTIALS =
  'Compare the key id, the team id and the environments of the key with the ones in Apple’s developer account.';
const OTHER_ENVIRONMENT = `The key is valid only for the other environment of Apple. ${OWN_CREDENTIALS}`;
const OTHER_VAPID_KEY =
  'The browser subscribed with another VAPID key. Store the key with which the pages subscribe, or let this browser subscribe again.';
const OURS = 'Carillon compiles this part of the message, so please report it with the payload.';

/** The codes of Apple and Google; docs/payload.md says which outcome each leads to. */
const explanations: Readonly<Record<string, string>> = {
  // Apple
  BadCollapseId: `The collapse id is longer than 64 bytes. ${OURS}`,
  BadDeviceToken:
    'Apple does not know the token in this environment. Either the app was removed, or a development build is registered ' +
    'without `development`, or the other way round. A retired token returns when `development` changes.',
  BadExpirationDate: `Apple cannot read the expiry. ${OURS}`,
  BadMessageId: `Apple cannot read the id of the push. ${OURS}`,
  BadPriority: `Apple does not know the priority. ${OURS}`,
  BadTopic: 'Apple does not know the bundle id of the app. Compare it with the build that is in the store.',
  DeviceTokenNotForTopic:
    'The token belongs to an app with another bundle id. The app registers with the wrong Carillon app, or its bundle id changed.',
  DuplicateHeaders: `A header was sent twice. ${OURS}`,
  InvalidPushType: `The type of the push does not fit its content. ${OURS}`,
  MissingDeviceToken: `The request had no token. ${OURS}`,
  MissingTopic: `The request had no bundle id. ${OURS}`,
  PayloadEmpty: `The request had no payload. ${OURS}`,
  PayloadTooLarge: 'The payload is over Apple’s limit of 4,096 bytes. Shorten it.',
  TopicDisallowed:
    'The key may not send for this bundle id. Check which apps the key is for in Apple’s developer account.',
  BadCertificate: `Apple refused the credentials. ${OWN_CREDENTIALS}`,
  BadCertificateEnvironment: `The credentials are for the other environment of Apple. ${OWN_CREDENTIALS}`,
  // Apple's table has the first spelling, its gateway the second.
  BadEnvironmentKeyIdInToken: OTHER_ENVIRONMENT,
  BadEnvironmentKeyInToken: OTHER_ENVIRONMENT,
  ExpiredProviderToken:
    'Apple called our token expired, even after it was renewed. Check the clock of the server.',
  Forbidden: `Apple refused the credentials. ${OWN_CREDENTIALS}`,
  InvalidProviderToken: `Apple does not accept the key. Its key id or team id is wrong, or it was revoked. ${OWN_CREDENTIALS}`,
  MissingProviderToken: `The request had no token of ours. ${OURS}`,
  UnrelatedKeyIdInToken: `The key belongs to another team or app. ${OWN_CREDENTIALS}`,
  TooManyProviderTokenUpdates:
    'Another system uses the same key and renews its token too often; Apple allows one renewal per 20 minutes.',
  TooManyRequests:
    'Apple refuses more pushes to this device for now: too many were sent to it one after another.',
  IdleTimeout: 'Apple closed the connection as idle each time, until the time to live was over.',
  InternalServerError: 'Apple failed until the time to live was over. Nothing is wrong with the push.',
  ServiceUnavailable:
    'Apple was not available until the time to live was over. Nothing is wrong with the push.',
  Shutdown:
    'Apple’s server was stopping each time, until the time to live was over. Nothing is wrong with the push.',
  ExpiredToken: 'Apple says that the token has expired. The app gets a new one when it is opened.',
  Unregistered: 'The app was removed from the device, or lost its right to receive pushes.',
  BadChannelId:
    'Apple cannot read the id of the channel. It was created by another program, or is not an id of Apple’s.',
  CannotCreateChannelConfig:
    'The app has 10,000 channels in this environment, which is Apple’s limit. Delete some.',
  ChannelNotRegistered:
    'Apple has no such channel in this environment: another program has deleted it, or it belongs to the other environment.',
  FeatureNotEnabled:
    'The app may not use broadcast channels. Enable them in Apple’s developer account: Identifiers, the bundle id, Push Notifications, Broadcast capability.',
  MissingChannelId: `The request had no channel. ${OURS}`,
  MissingPushType: `The request had no type. ${OURS}`,
  // Apple's push service of browsers
  BadJwtToken:
    'Apple does not accept the token that the VAPID key signs: its subject must be a real address. Store the key again with another --subject.',
  BadWebPushTopic: `Apple cannot read the topic. ${OURS}`,
  VapidPkHashMismatch: OTHER_VAPID_KEY,
  // Push services of browsers
  wrong_vapid_key: OTHER_VAPID_KEY,
  subscription_gone: 'The user has withdrawn the permission, or the browser has replaced the subscription.',
  subscription_unknown:
    'The push service does not know the subscription: it is old, or its endpoint was changed on its way to Carillon.',
  too_large:
    'The push is larger than the service takes. Browsers take 3,993 bytes of text, some 2,700 Firefox on Android; an iPhone that is reached ' +
    'through Firebase takes 4,096, with the address of the `image` twice. Shorten it.',
  nothing_to_show: 'A browser must show every push, and this one has no `alert` and no `title`.',
  host_not_allowed:
    'The endpoint is on no push service of a browser. The operator can allow its host by WEB_PUSH_HOSTS.',
  bad_keys:
    'The keys of the subscription cannot be used: the device was imported without them, or they were changed.',
  // Google
  UNREGISTERED:
    'The app was removed from the device, its data was cleared, or it was not opened for 270 days. An installation id is also unknown ' +
    'until the app has called `register()` of Firebase Messaging.',
  NOT_FOUND:
    'Google finds no such project. Compare the project id of the credentials with the one in the Firebase console. The token was kept.',
  SENDER_ID_MISMATCH:
    'The token belongs to another Firebase project. The app is built with another `google-services.json` (on iOS `GoogleService-Info.plist`), or the service account belongs to another project.',
  INVALID_ARGUMENT: 'Google cannot read the message. Look at the payload.',
  QUOTA_EXCEEDED:
    'Google’s quota was used up until the time to live was over. Ask Google for more, or give the push more time.',
  RESOURCE_EXHAUSTED:
    'Google’s quota was used up until the time to live was over. Ask Google for more, or give the push more time.',
  INTERNAL: 'Google failed until the time to live was over. Nothing is wrong with the push.',
  UNAVAILABLE: 'Google was not available until the time to live was over. Nothing is wrong with the push.',
  THIRD_PARTY_AUTH_ERROR:
    'Firebase could not sign in at Apple for this iPhone: its project has no APNs key of the app, or a wrong or revoked one. Set it ' +
    'in the Firebase console (Project settings, Cloud Messaging). The push token was kept.',
  UNAUTHENTICATED:
    'Google refused the service account. Check that its key was not deleted, and that the clock of the server is right.',
  PERMISSION_DENIED:
    'The service account may not send for this project. It needs the role “Firebase Cloud Messaging API Admin”, and the API must be enabled.',
  // Ours
  no_credentials:
    'The app has no credentials for the gateway and environment of these devices. Store them, and send again.',
  route_paused:
    'Sending on this route was paused until the time to live was over. The overview of gateways says why.',
  expired:
    'The time to live was over before the push could be sent. Give the next one more time, or find out what slowed it down.',
  access_token_refused:
    'Google refused the account that should fetch an access token. Check the service account.',
  no_time_zone:
    'The device has no known time zone, and `deliver_at_local` says `skip` for such devices. Register `time_zone` with the device.',
  local_time_past:
    'The local time was already over on the device when the notification was created, and `if_past` is `skip`.',
  quiet_hours:
    'The device was in quiet hours (its own, the app’s or the notification’s), in which the notification is dropped.',
  held_too_long:
    'The device was in quiet hours (its own, the app’s or the notification’s) for longer than the time to live.',
  missing_attribute:
    'The device has no value for a part of the template, and `on_missing` is `skip`. Give the part a `default`, or the device the attribute.',
  held_out:
    'Nothing was sent: the device is in the hold-out of the A/B test, which its variants are compared with.',
  replaced:
    'Nothing was sent: while the update waited, a newer update or the end of the Live Activity was created, and is sent instead.',
  activity_ended:
    'Nothing was sent: the Live Activity had been ended, and the app has not registered a token for a new one with that id.',
  stopped_the_process:
    'Nothing more is sent, because a process of Carillon died twice while it began the push, or read why it was refused. Others are not ' +
    'affected. Please report it with the notification, and the attributes of the device if it has a template.',
  not_possible:
    'Nothing more is sent to these devices: reading them failed again and again. The reason of the notification names the error.',
  not_saved:
    'The database refused the outcomes of these pushes. They may have arrived, and are not sent again. The reason of the ' +
    'notification names the error.',
  access_token_unavailable:
    'Google’s server for access tokens was not available until the time to live was over.',
};

/** docs/payload.md says when a token is kept. */
const RETIRED = 'The token was retired, or kept if nothing shows that the route works.';
const RETIRED_ALWAYS = 'The token was retired.';

/** Codes of Google that mean something else with another outcome. */
const deadTokens: ReadonlyMap<string, string> = new Map([
  ['NOT_FOUND', 'Google no longer knows the token.'],
  [
    'INVALID_ARGUMENT',
    'Google says that the token is malformed: the app registered something else, or a part of it.',
  ],
]);

const withoutReason = {
  accepted: 'The gateway took the push.',
  no_token:
    'The device has no push token: its app has not registered one, or it was retired after an earlier push.',
  ambiguous: 'The push was written to the gateway and never answered, twice. It may have arrived.',
  rejected: 'The push was not sent, or refused without a reason.',
  unregistered: 'The gateway called the token dead.',
  capped:
    'Nothing was sent: the device or its user has had as many pushes of this group as the frequency cap allows.',
  dropped: 'Nothing was sent: the rules of this notification leave the device out.',
  expired: 'Nothing was sent: the device would have been held for longer than the time to live.',
} as const;

/**
 * @param reason as stored: a word of a gateway, a code of ours, `HTTP 502`, or a sentence; null if there is none
 * @returns one or two sentences
 */
export function explainReason(outcome: keyof typeof withoutReason, reason: string | null): string {
  if (reason === null) return withoutReason[outcome];
  if (outcome === 'unregistered') {
    const retired = CONFIRMED_DEAD.has(reason) ? RETIRED_ALWAYS : RETIRED;
    return `${deadTokens.get(reason) ?? explain(outcome, reason)} ${retired}`;
  }
  return explain(outcome, reason);
}

function explain(outcome: keyof typeof withoutReason, reason: string): string {
  const known = Object.hasOwn(explanations, reason) ? explanations[reason] : undefined;
  if (known !== undefined) return known;
  if (isOwnReason(reason)) return `${sentence(reasonSentence(reason))} ${lastTry(outcome)}`;
  if (/^HTTP \d{3}$/.test(reason))
    return 'The answer had no reason; it probably came from a proxy on the way to the gateway.';
  if (reason.includes(' ')) return sentence(reason);
  return 'The gateway’s own word; Carillon does not know it. Look it up in the documentation of Apple or Google.';
}

function lastTry(outcome: keyof typeof withoutReason): string {
  return outcome === 'ambiguous'
    ? 'The push had been written before, so it may have arrived.'
    : 'This lasted until the time to live was over.';
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase();
  return `${first}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
