/**
 * The rules of a payload: the known keys have types and limits, some keys are reserved, every other key is the
 * app's own and passes through untouched, whatever its value.
 */
import { z } from 'zod';
import type { FaultDetail } from '../errors.ts';
import type { Payload } from '../gateways/gateway.ts';
import { faultsOf, isJsonObject, jsonObject, judge, type Parsed } from '../parse.ts';

/** Apple's limit for `apns-collapse-id`, in bytes of UTF-8. */
const COLLAPSE_KEY_BYTES_MAX = 64;

const text = z.string('must be a string');
const flag = z.boolean('must be true or false');
const badgeRule = 'must be a whole number from 0 to 2147483647';
const collapseKeyRule = `must be a non-empty string of at most ${COLLAPSE_KEY_BYTES_MAX} bytes in UTF-8`;
const relevanceRule = 'must be a number from 0 to 1 with at most two decimal places';

/** Reserved by Apple, by Google, or by what the client SDK itself reads from a push. */
const RESERVED_KEYS = new Set(['available', 'from', 'message_type', 'aps', '_nid', '_st_actions']);
const RESERVED_PREFIX = /^(?:google|gcm)/;

/** The known keys only; the reserved ones are judged by `parsePayload`. */
export const payloadSchema = z
  .looseObject({
    alert: text.describe('The text that is shown.').exactOptional(),
    title: text.describe('Shown above `alert`.').exactOptional(),
    subtitle: text.describe('Shown between `title` and `alert` on iOS.').exactOptional(),
    badge: z
      .int32(badgeRule)
      .min(0, badgeRule)
      .describe('The number on the app’s icon. iOS only.')
      .exactOptional(),
    sound: text.describe('The name of a sound file. iOS only.').exactOptional(),
    collapse_key: z
      .string(collapseKeyRule)
      .refine((key) => key !== '' && Buffer.byteLength(key) <= COLLAPSE_KEY_BYTES_MAX, collapseKeyRule)
      .meta({
        minLength: 1,
        maxLength: COLLAPSE_KEY_BYTES_MAX,
        description:
          'A later push with the same key replaces this one in the tray. At most 64 bytes of UTF-8.',
      })
      .exactOptional(),
    content_available: flag.describe('Wakes the app in the background. iOS only.').exactOptional(),
    mutable_content: flag
      .describe('Lets the app change the push before it is shown. iOS only.')
      .exactOptional(),
    category: text.describe('Which of the app’s interactive notifications to show.').exactOptional(),
    interruption_level: z
      .enum(
        ['passive', 'active', 'time-sensitive', 'critical'],
        'must be one of passive, active, time-sensitive, critical',
      )
      .describe('iOS 15 or later; `active` where it is left out.')
      .exactOptional(),
    relevance_score: z
      .number(relevanceRule)
      .refine((score) => score >= 0 && score <= 1 && hasTwoDecimalsAtMost(score), relevanceRule)
      .meta({ minimum: 0, maximum: 1, description: 'iOS 15 or later. At most two decimal places.' })
      .exactOptional(),
    image: z
      .unknown()
      .describe(
        'An https address of a picture: Android loads it where it draws the push itself, on iOS the app does ' +
          '(`mutable_content`).',
      )
      .optional(),
    _channel_id: text.describe('A notification channel that the app has made. Android only.').exactOptional(),
  })
  .meta({
    minProperties: 1,
    propertyNames: {
      not: { anyOf: [{ enum: [...RESERVED_KEYS] }, { pattern: RESERVED_PREFIX.source }] },
    },
    description: 'Any other key is the app’s own and is handed over as it is, whatever its value.',
  });

/** Judges a payload. `path` leads to it, e.g. `notification.payload`; each fault names the key at fault. */
export function parsePayload(value: unknown, path: string): Parsed<Payload> {
  const object = jsonObject.safeParse(value);
  if (!object.success) return { faults: faultsOf(object.error, path) };
  if (Object.keys(object.data).length === 0) {
    return { faults: [{ path, message: 'must have at least one key' }] };
  }
  const known = judge(payloadSchema, value);
  const reserved = reservedKeyFaults(object.data, path);
  if (!known.success) return { faults: [...faultsOf(known.error, path), ...reserved] };
  return reserved.length === 0 ? { value: known.data } : { faults: reserved };
}

function reservedKeyFaults(payload: Record<string, unknown>, path: string): FaultDetail[] {
  const faults = Object.keys(payload)
    .filter((key) => RESERVED_KEYS.has(key) || RESERVED_PREFIX.test(key))
    .map((key) => ({ path: `${path}.${key}`, message: 'is a reserved key' }));
  const internal = payload['_st'];
  if (isJsonObject(internal) && Object.hasOwn(internal, 'mid')) {
    faults.push({ path: `${path}._st.mid`, message: 'is a reserved key' });
  }
  return faults;
}

/**
 * Judged on the decimal that was sent: where a double would not give it back, the parser keeps the number raw
 * (see `json.ts`), which is no number to the schema. So a double here stands for exactly its shortest decimal.
 */
function hasTwoDecimalsAtMost(score: number): boolean {
  return Number(score.toFixed(2)) === score;
}
