/**
 * The form of push tokens. A text that is not a token, or is a token of another service, is refused with a sentence:
 * otherwise its pushes would fail unnoticed.
 */
import { z } from 'zod';
import type { PushTokenType } from '../route.ts';
import { INSTALLATION_ID } from '../gateways/fcm/installation-id.ts';
import { inAnyCase } from '../api/parse.ts';

/** Bytes in hex: 32 bytes today, but Apple says not to rely on that. */
export const IOS_TOKEN = /^(?:[0-9a-fA-F]{2}){32,100}$/;

/** Google's tokens are opaque. The unique index can hold up to some 2,700 bytes. */
const VISIBLE = /^[!-~]{1,2048}$/;

/** Texts that apps and libraries send when they have no token; the last six are answers of Google's services. */
const PLACEHOLDERS = [
  'null',
  'undefined',
  'nil',
  'none',
  'nan',
  'true',
  'false',
  'blacklisted',
  'service_not_available',
  'missing_instanceid_service',
  'authentication_failed',
  'phone_registration_error',
  'too_many_registrations',
].map(inAnyCase);
const PLACEHOLDER = `[(<]?(?:${PLACEHOLDERS.join('|')})[)>]?|\\[object Object\\]|Optional\\(.*\\)`;
const EXPO = 'Expo(?:nent)?PushToken\\[.*';
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const WEB = 'https?://.*|\\{.*';
const QUOTED = '".*"|\'.*\'|`.*`';
const APPLE = '(?:[0-9a-fA-F]{2}){32,100}';
/** All tokens of Huawei in its own examples and in other public code begin like this. */
const HUAWEI = 'IQAAAA[A-Za-z0-9_-]{60,}';
const AMAZON = 'amzn1\\.adm-registration\\..*';

/**
 * Texts that are known not to be a token of Google. A UUID is not among them, because test set-ups use UUIDs
 * everywhere.
 */
const FOREIGN = [PLACEHOLDER, EXPO, WEB, QUOTED, HUAWEI, AMAZON].join('|');
const NO_GOOGLE_TOKEN = `^(?:${FOREIGN}|${APPLE})$`;
const noGoogleToken = new RegExp(NO_GOOGLE_TOKEN);

/** Whether a text may be a token for Android. */
export function isAndroidToken(text: string): boolean {
  return VISIBLE.test(text) && !noGoogleToken.test(text);
}

const PRINTED = '<[0-9a-fA-F ]*>|(?:[0-9a-fA-F]{8} ){7}[0-9a-fA-F]{8}|\\{ ?length ?=.*';
const GOOGLE = '[A-Za-z0-9_-]+:APA91[A-Za-z0-9_-]*|[A-Za-z0-9_-]{22}:[A-Za-z0-9_-]{60,}|APA91[A-Za-z0-9_-]*';
const BASE64 = '[A-Za-z0-9+/]{43}=';

const FOR_IOS =
  'for iOS send Apple’s token in hexadecimal digits, from didRegisterForRemoteNotificationsWithDeviceToken';
const FIREBASE_TOKEN = 'a token of Firebase';
const FIREBASE_ID = 'an installation id of Firebase';
const THROUGH_FIREBASE =
  'for an iPhone that is reached through Firebase send push_token_type "fcm" with it; otherwise send Apple’s token in ' +
  'hexadecimal digits, from didRegisterForRemoteNotificationsWithDeviceToken';
const FOR_FCM =
  'with push_token_type "fcm" send the registration token or the installation id of Firebase, and Apple’s token without it';
const FOR_ANDROID = 'for Android send the registration token or the installation id of Firebase';

/** Names what a text is that is not a token of the platform; the name completes “push_token is …”. */
const familiar: readonly (readonly [pattern: string, name: string])[] = [
  ['\\s*', 'empty: register once the phone has a token'],
  [PLACEHOLDER, 'a placeholder and no token: register once the phone has one'],
  [PRINTED, 'the printed description of a token, not the token'],
  [EXPO, 'a token of Expo’s own service, which getDevicePushTokenAsync() does not give'],
  [UUID, 'a UUID, such as the id of a subscription at OneSignal, and no token'],
  [
    `\\s*(?:${WEB})`,
    'a subscription or an address: register a browser with the platform Web and its `subscription`',
  ],
  [QUOTED, 'a token with quotation marks around it: leave them out'],
  [APPLE, 'a token of Apple'],
  [GOOGLE, FIREBASE_TOKEN],
  [INSTALLATION_ID.source.slice(1, -1), FIREBASE_ID],
  [HUAWEI, 'a token of Huawei'],
  [AMAZON, 'a token of Amazon'],
  [BASE64, 'in base64'],
  ['.*\\s.*', 'a text with spaces or line breaks'],
];
const names = familiar.map(([pattern, name]) => [new RegExp(`^(?:${pattern})$`, 's'), name] as const);

/** @returns a name for the text that was sent instead of a token, without any of its characters; undefined: unknown */
function nameOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? names.find(([pattern]) => pattern.test(sent))?.[1] : undefined;
}

function ruleFor(sent: unknown, rule: string, advice: string): string {
  const name = nameOf(sent);
  return name === undefined ? rule : `is ${name}; ${advice}`;
}

const iosToken = z
  .string('is required, as text')
  .regex(IOS_TOKEN, {
    error: ({ input }) => {
      const name = nameOf(input);
      const isOfFirebase = name === FIREBASE_TOKEN || name === FIREBASE_ID;
      return ruleFor(
        input,
        'must be an even number of hexadecimal digits for iOS, from 64 to 200',
        isOfFirebase ? THROUGH_FIREBASE : FOR_IOS,
      );
    },
  })
  .toLowerCase();

/** No token of Firebase: the beginning of Apple's, or something else. */
const HEXADECIMAL = '^[0-9a-fA-F]*$';
const isHexadecimal = new RegExp(HEXADECIMAL);

const firebaseTokenOfIphone = z
  .string('is required, as text')
  .refine((text) => isAndroidToken(text) && (!isHexadecimal.test(text) || INSTALLATION_ID.test(text)), {
    error: ({ input }) =>
      ruleFor(
        input,
        'must be a registration token or an installation id of Firebase with the type fcm',
        FOR_FCM,
      ),
  });
const androidToken = z
  .string('is required, as text')
  .refine(isAndroidToken, {
    error: ({ input }) =>
      ruleFor(input, 'must be 1 to 2048 visible ASCII characters for Android', FOR_ANDROID),
  })
  .meta({ pattern: VISIBLE.source, not: { type: 'string', pattern: NO_GOOGLE_TOKEN } });

/** A browser's subscription comes as a whole; its endpoint alone is accepted only from a device that has it (`update.ts`). */
export const pushTokens = { iOS: iosToken, Android: androidToken };

/** The rule for the push token of a device, and its stored form. */
export function tokenRule(platform: 'iOS' | 'Android', type: PushTokenType | null | undefined) {
  return platform === 'iOS' && type === 'fcm' ? firebaseTokenOfIphone : pushTokens[platform];
}

/** @returns undefined also for a value that is no text */
export function faultOfIosToken(sent: unknown, type: unknown): string | undefined {
  if (typeof sent !== 'string') return undefined;
  return tokenRule('iOS', type === 'fcm' ? type : 'token').safeParse(sent).error?.issues[0]?.message;
}

/** The token that an iPhone had before may be of the other kind. */
export const previousIosToken = z
  .string('must be text')
  .refine((text) => IOS_TOKEN.test(text) || isAndroidToken(text), {
    error: ({ input }) => ruleFor(input, 'must be a token of Apple or of Firebase', FOR_IOS),
  })
  .meta({ pattern: VISIBLE.source, not: { type: 'string', pattern: `^(?:${FOREIGN})$` } })
  .transform((text) => (IOS_TOKEN.test(text) ? text.toLowerCase() : text));

/** On iOS, the form of the value says whether `fcm` is an installation id. */
export const tokenTypes = {
  iOS: z.enum(
    ['token', 'fcm'],
    'must be token or fcm for iOS: fcm for a registration token or an installation id of Firebase',
  ),
  Android: z.enum(['token', 'fid'], 'must be token or fid'),
  Web: z.literal('subscription', 'must be subscription for Web'),
};
export const tokenTypeRule =
  'The type of `push_token`; if left out, it is derived from the form of the token.';

/** Derives the type of a push token from its form. */
export function tokenTypeOf(pushToken: string): PushTokenType {
  return INSTALLATION_ID.test(pushToken) ? 'fid' : 'token';
}

export const FID_RULE =
  'must be an installation id of Firebase (22 characters) with the type fid; a registration token has the type token';

/** Whether a text was sent as an installation id but does not look like one. */
export function isNoInstallationId(pushToken: unknown, type: unknown): boolean {
  return type === 'fid' && typeof pushToken === 'string' && !INSTALLATION_ID.test(pushToken);
}

/** The rules as JSON Schema, which cannot compare two keys in any other way. */
export const iosShape = {
  if: { properties: { push_token_type: { const: 'fcm' } }, required: ['push_token_type'] },
  // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
  then: {
    properties: {
      push_token: {
        pattern: VISIBLE.source,
        not: {
          anyOf: [
            { pattern: NO_GOOGLE_TOKEN },
            { pattern: HEXADECIMAL, not: { pattern: INSTALLATION_ID.source } },
          ],
        },
      },
    },
  },
  else: { properties: { push_token: { pattern: IOS_TOKEN.source } } },
};
export const fidShape = {
  if: { not: { properties: { push_token_type: { const: 'fid' } }, required: ['push_token_type'] } },
  else: { properties: { push_token: { pattern: INSTALLATION_ID.source } } },
};
