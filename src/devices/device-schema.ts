/**
 * The attributes of a device in a request: a registration (`POST`, a line of an import) or an update (`PUT`). Names and
 * ranges are checked strictly, so that typing errors are reported instead of stored. A device that `GET` returned can
 * be sent back: `id`, `created_at`, `registered_at` and `events` are set by the server and ignored here.
 */
import { z } from 'zod';
import { customChange } from './custom-attributes.ts';
import { NO_LANGUAGE, SENT_LOCALE, storedLocale } from '../locale/stored-locale.ts';
import { double, parseBy, text } from '../api/parse.ts';
import {
  FID_RULE,
  fidShape,
  faultOfIosToken,
  iosShape,
  isNoInstallationId,
  previousIosToken,
  pushTokens,
  tokenTypeRule,
  tokenTypes,
} from './push-token.ts';
import { sentEncryptionKey } from '../encryption-key.ts';
import { differ, DIFFER_RULE, hourFields, weekdays } from '../apps/quiet-hours-of-app.ts';
import type { DeviceQuietHours } from '../db/feature-tables/wave-tables.ts';
import { endpointFault, isPublicKey, isSecret, joinedKeys } from '../gateways/web-push/subscription.ts';
import { platforms, pushTokenTypes } from '../route.ts';
import { TIME_ZONE, timeZoneNamed, timeZoneRule } from '../time/time-zones.ts';

/** The limit for all short texts: long enough for any real value, and short enough for an index. */
const TEXT_CHARACTERS_MAX = 255;
export const TAGS_MAX = 100;
export const INT32_MAX = 2 ** 31 - 1;

const shortText = text(TEXT_CHARACTERS_MAX).nullish();

const place = z
  .strictObject({
    latitude: double(z.number('must be a number').min(-90, degrees(90)).max(90, degrees(90))),
    longitude: double(z.number('must be a number').min(-180, degrees(180)).max(180, degrees(180))),
  })
  .meta({ id: 'Place' });

const serversOwn = z.unknown().describe('Set by the server; ignored in requests.').optional();

export const localeRule = 'must be a language, and a country if it is known, such as en_GB or en';
const localeMeaning =
  'A language and a country: `en_GB`; the language alone if no country is known. It is read as ' +
  'phones send it (`en-gb`, `zh-Hans-CN`, `zh_CN_#Hans`, `en_US@rg=gbzzzz`, `iw_IL`) and ' +
  'stored in this form.';
const scriptMeaning =
  'The script of `locale`, such as `Hans`. It decides which translation fits. Only together with `locale`, which may also contain it.';

const timeZoneMeaning =
  'The IANA name of a time zone: `Europe/Berlin`. `europe/berlin` is stored as ' +
  '`Europe/Berlin`, an old name as a newer name with the same clock. Offsets (`GMT+3`) and ' +
  'abbreviations (`EST`) are refused.';

/** The call that carries it decides what it proves (`proof/proven-user.ts`). */
export const userToken = z
  .string('must be text')
  .describe('A JWT by which your back end vouches for the user. Needed where the app demands it.');

/**
 * The quiet hours of one device, which its user has chosen. They replace those of the app and of a
 * notification, unless it has `ignore_all`. The result is in the one stored form: each day once, in the order
 * of the week, and no days if all are meant.
 */
const deviceQuietHours = z
  .strictObject(hourFields, 'must be an object: {"from", "to", "days"}')
  .refine(differ, DIFFER_RULE)
  .transform(({ from, to, days: sent = [] }): DeviceQuietHours => {
    const chosen = weekdays.filter((day) => sent.includes(day));
    return { from, to, ...(chosen.length > 0 && chosen.length < weekdays.length && { days: chosen }) };
  })
  .meta({ id: 'DeviceQuietHours' });

const attributes = {
  locale: text(TEXT_CHARACTERS_MAX)
    .refine((locale) => storedLocale(locale) !== undefined, localeRule)
    .meta({
      pattern: SENT_LOCALE.source,
      not: { type: 'string', pattern: NO_LANGUAGE.source },
      description: localeMeaning,
    })
    .transform(inStoredForm)
    .nullish(),
  script: z
    .string('must be text')
    .regex(/^[A-Za-z]{4}$/, 'must be the four letters of a script, such as Hans')
    .describe(scriptMeaning)
    .nullish(),
  time_zone: text(TEXT_CHARACTERS_MAX)
    .superRefine((sent, context) => {
      if (timeZoneNamed(sent) === undefined) context.addIssue(timeZoneRule(sent));
    })
    .meta({ pattern: TIME_ZONE.source, description: timeZoneMeaning })
    .transform(storedTimeZone)
    .nullish(),
  quiet_hours: deviceQuietHours
    .describe(
      'Hours of the device’s clock in which nothing is sent to it, chosen by its user; `null` removes them.',
    )
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
  user_token: userToken.nullish(),
  encryption_key: sentEncryptionKey
    .describe('A public key of the app on this device, for texts that only it reads; `null` removes it.')
    .nullish(),
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
    .describe('Replaces the tags that the device has.')
    .nullish(),
  location: place
    .nullish()
    .describe(
      'The location that the back end knows. If none was ever sent, the location of the IP address is used (`GEOIP_DATABASE`).',
    ),
  sdk_location: place.nullish().describe('The location from GPS.'),
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
const noTokens =
  'A value that is known not to be a token of the platform, such as `null` or a token of Expo, is refused by name.';

const subscription = z
  .strictObject({
    endpoint: z
      .string('is required, as text')
      .superRefine((endpoint, context) => {
        const fault = endpointFault(endpoint);
        if (fault !== undefined) context.addIssue(fault);
      })
      .meta({ pattern: '^https://[!-~]+$' })
      .describe('The address at the push service of the browser. It is the push token of the device.'),
    expirationTime: z.unknown().describe('Ignored.').optional(),
    keys: z
      .strictObject({
        p256dh: z
          .string('is required, as text')
          .refine(
            isPublicKey,
            'must be the public key of the browser: 65 bytes in base64url, a point of P-256',
          )
          .meta({ pattern: '^[A-Za-z0-9+/_-]{87}=?$' }),
        auth: z
          .string('is required, as text')
          .refine(isSecret, 'must be the secret of the browser: 16 bytes in base64url')
          .meta({ pattern: '^[A-Za-z0-9+/_-]{22}(?:==)?$' }),
      })
      .meta({ id: 'WebPushSubscriptionKeys' }),
  })
  .describe('As `PushSubscription.toJSON()` of a browser gives it.')
  .meta({ id: 'WebPushSubscription' });

const webRegistration = z
  .strictObject({
    platform: z.literal('Web'),
    subscription,
    previous_endpoint: z
      .string('must be text')
      .describe('The endpoint that the browser had before this one (`pushsubscriptionchange`).')
      .nullish(),
    ...attributes,
    id: hintedId,
  })
  .meta({ id: 'WebRegistration' })
  .transform(({ subscription: sent, previous_endpoint: previous, ...others }) => ({
    ...others,
    ...tokenOf(sent),
    previous_push_token: previous,
  }));

function tokenOf({ endpoint, keys }: z.output<typeof subscription>) {
  return {
    push_token: endpoint,
    push_token_type: 'subscription' as const,
    subscription_keys: joinedKeys(keys),
  };
}

export const registration = z
  .discriminatedUnion(
    'platform',
    [
      z
        .strictObject({
          platform: z.literal('iOS'),
          push_token: z
            .string('is required, as text')
            .describe(
              `64 to 200 hexadecimal digits; with the type \`fcm\`, a registration token or an installation id of Firebase. ${noTokens}`,
            ),
          push_token_type: tokenTypes.iOS
            .describe(
              'The type of `push_token`: `fcm` for an iPhone that is reached through Firebase; otherwise `token`.',
            )
            .nullish(),
          previous_push_token: previousIosToken.describe(previousToken).nullish(),
          ...attributes,
          id: hintedId,
        })
        .refine(
          ({ push_token: token, push_token_type: type }) => faultOfIosToken(token, type) === undefined,
          {
            path: ['push_token'],
            error: ({ input }) => {
              const { push_token: token, push_token_type: type } = Object(input);
              return faultOfIosToken(token, type);
            },
            // Next to the faults of other attributes.
            when: () => true,
          },
        )
        .meta({ ...iosShape, id: 'IosRegistration' })
        .transform(inStoredCase),
      z
        .strictObject({
          platform: z.literal('Android'),
          push_token: pushTokens.Android.describe(
            `A registration token or an installation id of Firebase. ${noTokens}`,
          ),
          push_token_type: tokenTypes.Android.describe(tokenTypeRule).nullish(),
          previous_push_token: pushTokens.Android.describe(previousToken).nullish(),
          ...attributes,
          id: hintedId,
        })
        .refine(({ push_token, push_token_type }) => !isNoInstallationId(push_token, push_token_type), {
          path: ['push_token'],
          message: FID_RULE,
        })
        .meta({ ...fidShape, id: 'AndroidRegistration' }),
      webRegistration,
    ],
    { error: (issue) => (issue.code === 'invalid_union' ? 'must be iOS, Android or Web' : undefined) },
  )
  .meta({ id: 'DeviceRegistration' });

export const registrationBody = z.strictObject({ device: registration }).meta({ id: 'RegisterDevice' });

export const updateBody = z
  .strictObject({
    device: z
      .strictObject({
        platform: z.enum(platforms, 'must be iOS, Android or Web').optional(),
        // `updateDevice` checks it by the rule of the device's platform (`pushTokens`).
        push_token: z.string('must be text').nullish(),
        push_token_type: z
          .enum(pushTokenTypes, 'must be token, fid, fcm or subscription')
          .describe(`${tokenTypeRule} Without \`push_token\` it is ignored.`)
          .nullish(),
        subscription: subscription.transform(tokenOf).optional(),
        ...attributes,
        // `updateDevice` checks it: a locale of another form is accepted if the device already has it.
        locale: text(TEXT_CHARACTERS_MAX).describe(localeMeaning).transform(inStoredForm).nullish(),
        // The same holds for a time zone that is not known.
        time_zone: text(TEXT_CHARACTERS_MAX).describe(timeZoneMeaning).transform(storedTimeZone).nullish(),
      })
      .meta({ id: 'DeviceUpdate' }),
  })
  .meta({ id: 'UpdateDevice' });

export type DeviceRegistration = z.output<typeof registration>;
/** Attributes that are left out stay; null clears an attribute. */
export type DeviceUpdate = Omit<z.output<typeof updateBody>['device'], 'subscription'> & {
  subscription_keys?: string;
};

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
  const { subscription: sent, ...update } = parseBy(updateBody, body).device;
  return { ...update, ...sent };
}

/** Apple's tokens are hexadecimal, Firebase's have capitals of their own. */
function inStoredCase<Sent extends { push_token: string; push_token_type?: string | null | undefined }>(
  sent: Sent,
): Sent {
  return sent.push_token_type === 'fcm' ? sent : { ...sent, push_token: sent.push_token.toLowerCase() };
}

/** Other text is returned unchanged. */
function inStoredForm(locale: string): string {
  return storedLocale(locale) ?? locale;
}

/** Other text is returned unchanged. */
function storedTimeZone(sent: string): string {
  return timeZoneNamed(sent) ?? sent;
}

function degrees(limit: number): string {
  return `must be from -${limit} to ${limit} degrees`;
}
