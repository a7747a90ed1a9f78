/**
 * Checks a payload. Known keys have types and limits, and some keys are reserved. Every other key belongs to the app
 * and is passed on unchanged, whatever its value.
 */
import { z } from 'zod';
import type { FaultDetail } from '../api/errors.ts';
import { ENCRYPTED_TEXT, type Payload } from '../gateways/payload.ts';
import { faultsOf, isJsonObject, jsonObject, judge, type Parsed } from '../api/parse.ts';

/** Apple's limit for `apns-collapse-id`, in bytes of UTF-8. */
const COLLAPSE_KEY_BYTES_MAX = 64;

const text = z.string('must be a string');
const flag = z.boolean('must be true or false');
const badgeRule = 'must be a whole number from 0 to 2147483647';
const soundRule = 'must be a string';
/** Values that other servers accept under a payload key, and where they belong here. */
const OF_APNS = {
  badge: '"+1" and "reset" are values of notification.apns.badge',
  sound: 'the sound of a critical alert is set with notification.apns.sound',
} as const;
const collapseKeyRule = `must be a non-empty string of at most ${COLLAPSE_KEY_BYTES_MAX} bytes in UTF-8`;
const relevanceRule = 'must be a number from 0 to 1 with at most two decimal places';

/** A key of the app's own string resources, by which the phone translates one of the texts. */
function localizedText(shown: 'alert' | 'title' | 'subtitle') {
  return text.describe(
    `The key of a text in the app’s own resources, shown in the phone’s language instead of \`${shown}\`.`,
  );
}

function localizedArguments(key: keyof typeof ARGUMENT_KEYS) {
  return z
    .array(text, 'must be a list of texts')
    .describe(`The values of the placeholders in the text of \`${key}\`.`);
}

const ARGUMENT_KEYS = {
  loc_key: 'loc_args',
  title_loc_key: 'title_loc_args',
  subtitle_loc_key: 'subtitle_loc_args',
} as const;

/** Keys that Apple or Google reserves, or that the client SDK reads from a push. */
const RESERVED_KEYS = new Set([
  'available',
  'from',
  'message_type',
  'aps',
  '_nid',
  ENCRYPTED_TEXT,
  '_st_actions',
]);
const RESERVED_PREFIX = /^(?:google|gcm)/;
/** Reserved inside an object: the object's key, and the key in it. */
const RESERVED_INSIDE = { key: '_st', inside: 'mid' } as const;

function reservedKeysShape() {
  const { key, inside } = RESERVED_INSIDE;
  return {
    propertyNames: {
      not: { anyOf: [{ enum: [...RESERVED_KEYS] }, { pattern: RESERVED_PREFIX.source }] },
    },
    // Written as a pattern and not in `properties`, because a generated client needs no field for it.
    patternProperties: { [`^${key}$`]: { not: { type: 'object', required: [inside] } } },
  };
}

/** Checks only the known keys; `parsePayload` checks the reserved ones. */
export const payloadSchema = z
  .looseObject({
    alert: text.describe('The text that is shown.'),
    title: text.describe('Shown above `alert`.'),
    subtitle: text.describe('Shown between `title` and `alert` on iOS.'),
    loc_key: localizedText('alert'),
    loc_args: localizedArguments('loc_key'),
    title_loc_key: localizedText('title'),
    title_loc_args: localizedArguments('title_loc_key'),
    subtitle_loc_key: localizedText('subtitle'),
    subtitle_loc_args: localizedArguments('subtitle_loc_key'),
    badge: z
      .int32({
        error: ({ input }) => (typeof input === 'string' ? `${badgeRule}; ${OF_APNS.badge}` : badgeRule),
      })
      .min(0, badgeRule)
      .describe('The number on the app’s icon. iOS only.'),
    sound: z
      .string({ error: ({ input }) => (isJsonObject(input) ? `${soundRule}; ${OF_APNS.sound}` : soundRule) })
      .describe('The name of a sound file. iOS only.'),
    collapse_key: z
      .string(collapseKeyRule)
      .refine((key) => key !== '' && Buffer.byteLength(key) <= COLLAPSE_KEY_BYTES_MAX, collapseKeyRule)
      .meta({
        minLength: 1,
        maxLength: COLLAPSE_KEY_BYTES_MAX,
        description:
          'A later push with the same key replaces this one on the device. At most 64 bytes of UTF-8.',
      }),
    content_available: flag.describe('Wakes the app in the background. iOS only.'),
    mutable_content: flag.describe('Lets the app change the push before it is shown. iOS only.'),
    category: text.describe('The name of one of the app’s interactive notification categories.'),
    interruption_level: z
      .enum(
        ['passive', 'active', 'time-sensitive', 'critical'],
        'must be one of passive, active, time-sensitive, critical',
      )
      .describe('iOS 15 or later. If left out, `active`.'),
    relevance_score: z
      .number(relevanceRule)
      .refine((score) => score >= 0 && score <= 1 && hasTwoDecimalsAtMost(score), relevanceRule)
      .meta({ minimum: 0, maximum: 1, description: 'iOS 15 or later. At most two decimal places.' }),
    image: z
      .unknown()
      .describe(
        'The https address of a picture. Android loads it if Android draws the push; on iOS the app loads it ' +
          '(`mutable_content`).',
      ),
    _channel_id: text.describe('The id of a notification channel that the app has created. Android only.'),
  })
  .exactPartial()
  .meta({
    minProperties: 1,
    ...reservedKeysShape(),
    dependentRequired: Object.fromEntries(Object.entries(ARGUMENT_KEYS).map(([key, args]) => [args, [key]])),
    description: 'Any other key belongs to the app and is passed on unchanged, whatever its value.',
  })
  .meta({ id: 'Payload' });

/** Keys of a payload with new values; null removes a key. */
export const changesSchema = z
  .looseObject(
    Object.fromEntries(
      Object.entries(payloadSchema.shape).map(([key, schema]) => [key, z.nullable(schema).exactOptional()]),
    ),
    'must be an object',
  )
  .meta({
    ...reservedKeysShape(),
    description: 'Keys of a payload. A value replaces the one in `payload`; null removes the key.',
  })
  .meta({ id: 'PayloadChanges' });

/** @param path the path of the payload, such as `notification.payload`; a fault's path adds the key */
export function parsePayload(value: unknown, path: string): Parsed<Payload> {
  const object = jsonObject.safeParse(value);
  if (!object.success) return { faults: faultsOf(object.error, path) };
  if (Object.keys(object.data).length === 0) {
    return { faults: [{ path, message: 'must have at least one key' }] };
  }
  const reserved = reservedKeyFaults(object.data, path);
  if (reserved.length === 0 && hasOnlyTexts(object.data)) return { value: object.data };
  const known = judge(payloadSchema, value);
  if (!known.success) return { faults: [...faultsOf(known.error, path), ...reserved] };
  const faults = [...reserved, ...wholePayloadFaults(known.data, path)];
  return faults.length === 0 ? { value: known.data } : { faults };
}

/**
 * Reads the payload of a stored notification, which was checked when it was created.
 * @throws {z.ZodError} if it is no payload
 */
export function storedPayload(value: unknown): Payload {
  return isJsonObject(value) && hasOnlyTexts(value) ? value : payloadSchema.parse(value);
}

/** Checks the keys together. @param payload its keys have been checked */
export function wholePayloadFaults(payload: Payload, path: string): FaultDetail[] {
  if (Object.keys(payload).length === 0) return [{ path, message: 'must have at least one key' }];
  return Object.entries(ARGUMENT_KEYS).flatMap(([key, values]) =>
    payload[values] === undefined || payload[key] !== undefined
      ? []
      : [{ path: `${path}.${values}`, message: `needs ${key}` }],
  );
}

const TEXT_KEYS: ReadonlySet<string> = new Set(
  'alert title subtitle loc_key title_loc_key subtitle_loc_key sound category _channel_id'.split(' '),
);
const OTHER_KEYS: ReadonlySet<string> = new Set(
  Object.keys(payloadSchema.shape).filter((key) => !TEXT_KEYS.has(key)),
);

/**
 * Whether its known keys are all texts, as in most payloads. Checking them here takes a twentieth of the schema's time.
 */
function hasOnlyTexts(payload: Record<string, unknown>): payload is Payload {
  return Object.keys(payload).every((key) =>
    TEXT_KEYS.has(key) ? typeof payload[key] === 'string' : !OTHER_KEYS.has(key),
  );
}

/** `changesSchema` and `payloadSchema` check the other keys. */
export function reservedKeyFaults(payload: Readonly<Record<string, unknown>>, path: string): FaultDetail[] {
  const faults = Object.keys(payload)
    .filter((key) => RESERVED_KEYS.has(key) || RESERVED_PREFIX.test(key))
    .map((key) => ({ path: `${path}.${key}`, message: 'is a reserved key' }));
  const { key, inside } = RESERVED_INSIDE;
  const internal = payload[key];
  if (isJsonObject(internal) && Object.hasOwn(internal, inside)) {
    faults.push({ path: `${path}.${key}.${inside}`, message: 'is a reserved key' });
  }
  return faults;
}

/**
 * The parser keeps a number raw (see `json/lossless.ts`) if a double would not reproduce it, and the schema refuses raw
 * numbers. So a double here has the digits that were sent.
 */
function hasTwoDecimalsAtMost(score: number): boolean {
  return Number(score.toFixed(2)) === score;
}
