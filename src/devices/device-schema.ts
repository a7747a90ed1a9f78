/**
 * The attributes of a device in a request: a registration (`POST`, a line of an import) or an update (`PUT`). Names and
 * ranges are checked strictly, so that typing errors are reported instead of stored. A device that `GET` returned can
 * be sent back: `id`, `created_at`, `registered_at` and `events` are set by the server and ignored here.
 */
import { z } from 'zod';
import { customChange } from './custom-attributes.ts';
import type { PushTokenType } from '../gateways/gateway.ts';
import { double, parseBy, text } from '../parse.ts';
import { deviceQuietHours } from './quiet-hours.ts';
import { TIME_ZONE, timeZoneNamed, timeZoneRule } from '../time/time-zones.ts';

/** The limit for all short texts: long enough for any real value, and short enough for an index. */
const TEXT_CHARACTERS_MAX = 255;
export const TAGS_MAX = 100;
export const INT32_MAX = 2 ** 31 - 1;

/**
 * A stored locale: language, optional script, country or UN region, optional variants: `en_GB`, `zh_Hans_CN`, `es_419`.
 */
export const LOCALE = /^[a-z]{2,3}(?:_[A-Z][a-z]{3})?_(?:[A-Z]{2}|\d{3})(?:_[A-Za-z0-9]+)*$/;
/** A locale in a request: dashes as in BCP 47 are accepted too, and upper or lower case (RFC 5646, 2.1.1). */
const SENT_LOCALE =
  /^([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?[-_]([A-Za-z]{2}|[0-9]{3})((?:[-_][A-Za-z0-9]+)*)$/;

/** Bytes in hex: 32 bytes today, but Apple says not to rely on that. */
export const IOS_TOKEN = /^(?:[0-9a-fA-F]{2}){32,100}$/;
const iosToken = z
  .string('is required, as text')
  .regex(IOS_TOKEN, 'must be an even number of hexadecimal digits for iOS, from 64 to 200')
  .toLowerCase();

/** Google's tokens are opaque. The unique index can hold up to some 2,700 bytes. */
export const ANDROID_TOKEN = /^[!-~]{1,2048}$/;
const androidToken = z
  .string('is required, as text')
  .regex(ANDROID_TOKEN, 'must be 1 to 2048 visible ASCII characters for Android');

/**
 * A Firebase installation id: 17 bytes in base64url, cut to 22 characters; the first four bits are 0111. Source:
 * Firebase's own SDK (`packages/installations/src/helpers/generate-fid.ts`). An FCM registration token looks different:
 * an installation id, a colon and some 140 characters.
 */
const INSTALLATION_ID = /^[cdef][A-Za-z0-9_-]{21}$/;

/** Derives the type of a push token from its form. */
export function tokenTypeOf(pushToken: string): PushTokenType {
  return INSTALLATION_ID.test(pushToken) ? 'fid' : 'token';
}

/** Only Android devices have installation ids, which come from Firebase. */
export const tokenTypes = {
  iOS: z.literal('token', 'must be token for iOS'),
  Android: z.enum(['token', 'fid'], 'must be token or fid'),
};
const tokenTypeRule = 'The type of `push_token`; if left out, it is derived from the form of the token.';

export const pushTokens = { iOS: iosToken, Android: androidToken };

const shortText = text(TEXT_CHARACTERS_MAX).nullish();

export const place = z.strictObject({
  latitude: double(z.number('must be a number').min(-90, degrees(90)).max(90, degrees(90))),
  longitude: double(z.number('must be a number').min(-180, degrees(180)).max(180, degrees(180))),
});

const serversOwn = z.unknown().describe('Set by the server; ignored in requests.').optional();

export const localeRule = 'must be a language and a country such as en_GB';
const localeMeaning =
  'A language and a country, optionally with a script between them: `zh_Hans_CN`. `en-gb` is stored as `en_GB`.';

const timeZoneMeaning =
  'The IANA name of a time zone: `Europe/Berlin`. `europe/berlin` is stored as `Europe/Berlin`.';

const attributes = {
  locale: text(TEXT_CHARACTERS_MAX)
    .refine((locale) => SENT_LOCALE.test(locale), localeRule)
    .meta({ pattern: SENT_LOCALE.source, description: localeMeaning })
    .transform(storedLocale)
    .nullish(),
  time_zone: text(TEXT_CHARACTERS_MAX)
    .superRefine((sent, context) => {
      if (timeZoneNamed(sent) === undefined) context.addIssue(timeZoneRule(sent));
    })
    .meta({ pattern: TIME_ZONE.source, description: timeZoneMeaning })
    .transform(storedTimeZone)
    .nullish(),
  quiet_hours: deviceQuietHours
    .describe('Hours of its clock in which nothing is sent to it, as its user chose; `null` removes them.')
    .nullish(),
  badge: z
    .int(`must be a whole number from 0 to ${INT32_MAX}`)
    .min(0, 'must not be negative')
    .max(INT32_MAX, `must be at most ${INT32_MAX}`)
    .nullish(),
  os_name: shortText,
  os_version: shortText,
  app_version: shortText,
  sdk_version: shortText,
  country: shortText,
  marketing_name: shortText,
  // With an empty user id, all devices without a user would become one user.
  user_id: text(TEXT_CHARACTERS_MAX, 1).nullish(),
  user_email: shortText,
  development: z
    .boolean('must be true or false')
    .describe('Whether pushes go through Apple’s sandbox gateway.')
    .nullish(),
  notifications_allowed: z
    .enum(['Enabled', 'Disabled', 'Unknown'], 'must be Enabled, Disabled or Unknown')
    .nullish(),
  tags: z
    .array(text(TEXT_CHARACTERS_MAX, 1), 'must be a list of texts')
    .max(TAGS_MAX, `must be at most ${TAGS_MAX} tags`)
    .nullish(),
  location: place.nullish(),
  sdk_location: place.nullish(),
  custom: customChange.nullish(),
  id: serversOwn,
  created_at: serversOwn,
  registered_at: serversOwn,
  events: serversOwn,
};

const hintedId = z
  .unknown()
  .describe('The id that an earlier registration returned. An id that the app does not have is ignored.')
  .optional();
const previousToken = 'The token that the device had before this one.';

export const registration = z.discriminatedUnion(
  'platform',
  [
    z.strictObject({
      platform: z.literal('iOS'),
      push_token: iosToken,
      push_token_type: tokenTypes.iOS.describe(tokenTypeRule).nullish(),
      previous_push_token: iosToken.describe(previousToken).nullish(),
      ...attributes,
      id: hintedId,
    }),
    z.strictObject({
      platform: z.literal('Android'),
      push_token: androidToken,
      push_token_type: tokenTypes.Android.describe(tokenTypeRule).nullish(),
      previous_push_token: androidToken.describe(previousToken).nullish(),
      ...attributes,
      id: hintedId,
    }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be iOS or Android' : undefined) },
);

export const registrationBody = z.strictObject({ device: registration });

export const updateBody = z.strictObject({
  device: z.strictObject({
    platform: z.enum(['iOS', 'Android'], 'must be iOS or Android').optional(),
    // `updateDevice` checks it by the rule of the device's platform (`pushTokens`).
    push_token: z.string('must be text').nullish(),
    push_token_type: tokenTypes.Android.describe(
      `${tokenTypeRule} Without \`push_token\` it is ignored.`,
    ).nullish(),
    ...attributes,
    // `updateDevice` checks it: a locale of another form is accepted if the device already has it.
    locale: text(TEXT_CHARACTERS_MAX).describe(localeMeaning).transform(storedLocale).nullish(),
    // The same holds for a time zone that is not known.
    time_zone: text(TEXT_CHARACTERS_MAX).describe(timeZoneMeaning).transform(storedTimeZone).nullish(),
  }),
});

export type DeviceRegistration = z.output<typeof registration>;
/** Attributes that are left out stay; null clears an attribute. */
export type DeviceUpdate = z.output<typeof updateBody>['device'];

/** @throws {ApiError} `invalid_request`, at paths such as `device.custom.plan.value` */
export function parseRegistrationBody(body: unknown): DeviceRegistration {
  return parseBy(registrationBody, body).device;
}

/** One device of an import. @throws {ApiError} `invalid_request`, at paths such as `custom.plan.value` */
export function parseRegistration(value: unknown): DeviceRegistration {
  return parseBy(registration, value);
}

/** @throws {ApiError} `invalid_request`, at paths such as `device.custom.plan.value` */
export function parseUpdateBody(body: unknown): DeviceUpdate {
  return parseBy(updateBody, body).device;
}

/**
 * Brings a locale into its one stored form, so that a filter finds all its devices. Other text is returned unchanged.
 */
function storedLocale(sent: string): string {
  const parts = SENT_LOCALE.exec(sent);
  if (parts === null) return sent;
  const [, language = '', script = '', country = '', rest = ''] = parts;
  const named = script === '' ? '' : `_${script.charAt(0).toUpperCase()}${script.slice(1).toLowerCase()}`;
  return `${language.toLowerCase()}${named}_${country.toUpperCase()}${rest.replaceAll('-', '_')}`;
}

/** Other text is returned unchanged. */
function storedTimeZone(sent: string): string {
  return timeZoneNamed(sent) ?? sent;
}

function degrees(limit: number): string {
  return `must be from -${limit} to ${limit} degrees`;
}
