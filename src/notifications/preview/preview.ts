/**
 * Previews a notification: whether creation would accept it, and the push that each gateway would get. It uses the
 * checks of `create.ts` and the compilers of the gateways. Nothing is stored.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { AndroidSettings } from '../../apps/android-settings.ts';
import { audienceExists } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, invalidRequest } from '../../api/errors.ts';
import { noSuchDevice } from '../../devices/device-errors.ts';
import { type Payload, PAYLOAD_BYTES_MAX } from '../../gateways/payload.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { isJsonObject } from '../../api/parse.ts';
import { idText, timeText } from '../../api/reply.ts';
import { readFacts } from '../../targeting/device-facts.ts';
import { instant } from '../../time/instant.ts';
import { FIRST_UUID, isUuid } from '../../uuid.ts';
import { HOLD_OUT, sharesOf } from '../content/assign-variant.ts';
import { type Choice, perDeviceOf } from '../content/per-device.ts';
import { encryptedTextStates, longestEncryptedText, withEncryptedText } from '../content/encrypted-texts.ts';
import { groupsOf } from '../content/variants.ts';
import { longestOf, type Version, versionsOf, withoutValues } from '../content/payload-versions.ts';
import { refuseUndeliverable } from '../gateway-limits.ts';
import { messageFrom, type NotificationContent, parseContent } from '../message.ts';
import { type NotificationRequest, parseRequest } from '../request.ts';
import { noSuchAudience } from '../target.ts';
import { requestsOf, requestsPreview } from './compiled-requests.ts';
import type { Warning } from './warning.ts';
import { warningsOf } from './warnings.ts';

/** The id in a compiled preview. It is as long as a real id, so the sizes are the real ones. */
export const PREVIEW_ID = FIRST_UUID;

/**
 * Sixteen times what a gateway takes, of a payload with its options: a template may be long. Larger ones are not
 * written out for each gateway, which took up to 47 MB for one of a megabyte.
 */
const COMPILED_BYTES_MAX = 64 * 1024;
/** The same if there are several versions: their payloads are shorter, and all are written out. */
const VERSION_BYTES_MAX = 16 * 1024;

const locale = z
  .string()
  .nullable()
  .describe('The locale of `localized` that its texts come from; null: `payload`.');

const variant = z
  .string()
  .nullable()
  .describe('The name of the variant that it belongs to; null if the notification is no A/B test.');

const versionPreview = requestsPreview.extend({ variant, locale }).meta({ id: 'CompiledVersion' });
const devicePreview = requestsPreview
  .extend({
    id: idText,
    variant: z
      .string()
      .nullable()
      .describe(
        'The variant that is shown, or `hold_out` if nothing would be sent to the device; null if the notification is no A/B test.',
      ),
    variant_by: z
      .enum(['experiment', 'request', 'none'])
      .nullable()
      .describe(
        'Why this variant is shown. `experiment`: the device gets it, because the name of the ' +
          'experiment decides. `request`: the preview asks for it. `none`: the first variant is shown, ' +
          'because the id of the notification would decide and does not exist yet. Null if the ' +
          'notification is no A/B test.',
      ),
    locale,
    encrypted_text: z
      .enum(encryptedTextStates)
      .nullable()
      .describe(
        'Whether the device gets one of `encrypted_texts` (`sent`), or why it gets the payload alone: it has no ' +
          '`encryption_key` (`no_key`), or its key has no entry (`no_entry`). Null if the notification has none.',
      ),
    dropped: z
      .enum(['missing_attribute', 'held_out'])
      .nullable()
      .describe('Why nothing would be sent to the device; null if it would get the push.'),
  })
  .meta({ id: 'CompiledForDevice' });

/** The reply without `refusal`, which the HTTP room writes like any other error. */
export const compiledPreview = z
  .strictObject({
    notification_id: z
      .literal(PREVIEW_ID)
      .describe('Stands in for the id of the notification, which has the same length.'),
    due_at: timeText.describe('The time from which the time to live counts: `deliver_at`, or now.'),
    bytes_max: z
      .literal(PAYLOAD_BYTES_MAX)
      .describe('The limit for most pushes. Some Apple push types allow more; `bytes_left` includes that.'),
    ...requestsPreview.shape,
    versions: z
      .array(versionPreview)
      .describe(
        'The other payloads that devices may get, by variant and locale; empty if every device gets the same.',
      ),
    variants: z
      .array(
        z.strictObject({ name: z.string(), share: z.number().min(0).max(1) }).meta({ id: 'VariantShare' }),
      )
      .describe(
        'The share of the audience for each variant, and for `hold_out`; empty if the notification is no A/B test.',
      ),
    variant,
    device: devicePreview.nullable().describe('What the device with `device_id` gets; null without one.'),
  })
  .meta({ id: 'CompiledNotification' });

export interface Preview {
  /** The error with which creation would refuse the notification; undefined if it would accept it. */
  refusal: ApiError | undefined;
  /** Undefined if a fault of the payload or of its options prevents compiling, or if both are too large. */
  compiled: z.output<typeof compiledPreview> | undefined;
  warnings: Warning[];
}

export interface PreviewRequest {
  app: {
    appId: string;
    bundleId: string;
    /** Without these settings, pushes to Android contain only data. */
    android?: AndroidSettings;
  };
  /**
   * The whole body, from `parseJson`: the body of a create request, with the optional `device_id` of a device to
   * preview it for, and `variant`.
   */
  body: unknown;
}

/**
 * @throws {ApiError} `invalid_request` if the body has no object `notification`, or its `device_id` or `at` is malformed;
 *   `not_found` if the app does not have the device
 */
export async function previewNotification(
  db: Kysely<Database>,
  { app, body: sent }: PreviewRequest,
  present: Date,
): Promise<Preview> {
  const { body, deviceId, group, at: now = present } = fieldsOf(sent);
  if (!isJsonObject(body) || !isJsonObject(body['notification'])) parseRequest(body, now);
  const parsed = attempt(() => parseRequest(body, now));
  const { result: request = compilableRequest(body, now) } = parsed;
  if (request === undefined) return { refusal: parsed.refusal, compiled: undefined, warnings: [] };

  const { deliverAt, notification, target } = request;
  const dueAt = deliverAt !== null && deliverAt > now ? deliverAt : now;
  const stored = stringifyJson(notification);
  // Workers compile the notification as parsed from the stored text, with the known keys in another order.
  const content = parseContent(stored);
  const message = messageFrom({ id: PREVIEW_ID, due_at: dueAt }, content, app.android);
  const refusal =
    parsed.refusal ??
    attempt(() => refuseUndeliverable(message, content, stored)).refusal ??
    (target.kind !== 'stored' || (await audienceExists(db, app.appId, target.audienceId))
      ? undefined
      : noSuchAudience());
  const requests = (payload: Payload, version: Version, longest = payload) =>
    requestsOf({ ...message, payload, priority: version.priority }, app.bundleId, longest);
  const inGeneral = (version: Version) =>
    requests(withoutValues(version, content), version, longestWithText(version, content));
  const [standard, ...translations] = versionsOf(content);
  const device =
    deviceId === undefined ? undefined : await chosenFor(db, { appId: app.appId, deviceId, group }, content);
  const warnings = warningsOf(content);
  const bytesMax = translations.length === 0 ? COMPILED_BYTES_MAX : VERSION_BYTES_MAX;
  if (Buffer.byteLength(stringifyJson(message)) > bytesMax) {
    return { refusal, compiled: undefined, warnings };
  }
  const groups = groupsOf(content);
  const compiled = {
    notification_id: PREVIEW_ID,
    due_at: message.dueAt.toISOString(),
    bytes_max: PAYLOAD_BYTES_MAX,
    ...inGeneral(standard),
    versions: translations.map((version) =>
      Object.assign({ variant: version.variant, locale: version.locale }, inGeneral(version)),
    ),
    variants: groups === undefined ? [] : sharesOf(groups),
    variant: standard.variant,
    device:
      device === undefined
        ? null
        : {
            id: device.id,
            variant: device.group ?? null,
            variant_by: device.by,
            locale: device.version.locale,
            encrypted_text: device.encryptedText ?? null,
            dropped: device.group === HOLD_OUT ? ('held_out' as const) : (device.dropped ?? null),
            ...requests(device.own ?? device.version.payload, device.version),
          },
  } as const;
  return { refusal, compiled, warnings };
}

/** Separates `device_id`, `variant` and `at` from the body of a create request. */
function fieldsOf(sent: unknown): { body: unknown; deviceId?: string; group?: string; at?: Date } {
  if (!isJsonObject(sent)) return { body: sent };
  const { device_id: deviceId, variant: group, at: written, ...body } = sent;
  const faults = [];
  const at = written === undefined ? undefined : instant.safeParse(written);
  // Gateways count seconds from 1970 on, and no push is older.
  if (at !== undefined && !(at.success && at.data.getTime() >= 0)) {
    faults.push({ path: 'at', message: 'must be a date-time of ISO 8601, from 1970 on' });
  }
  if (Object.hasOwn(sent, 'device_id') && !(typeof deviceId === 'string' && isUuid(deviceId))) {
    faults.push({ path: 'device_id', message: 'must be the id of a device' });
  }
  if (Object.hasOwn(sent, 'variant') && !(typeof group === 'string' && Object.hasOwn(sent, 'device_id'))) {
    faults.push({ path: 'variant', message: 'must be the name of a variant, together with device_id' });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return {
    body,
    ...(typeof deviceId === 'string' && { deviceId: deviceId.toLowerCase() }),
    ...(typeof group === 'string' && { group }),
    ...(at?.success === true && { at: at.data }),
  };
}

function longestWithText(version: Version, content: NotificationContent): Payload {
  const encrypted = longestEncryptedText(content);
  const longest = longestOf(version, content);
  return encrypted === undefined ? longest : withEncryptedText(longest, encrypted.jwe);
}

interface Chosen extends Choice {
  id: string;
  group: string | undefined;
  by: 'experiment' | 'request' | 'none' | null;
}

/** @throws {ApiError} `not_found` if the app does not have the device; `invalid_request` if there is no such variant */
async function chosenFor(
  db: Kysely<Database>,
  { appId, deviceId, group: wanted }: { appId: string; deviceId: string; group: string | undefined },
  content: NotificationContent,
): Promise<Chosen> {
  const names = (content.variants ?? []).map(({ name }) => name);
  if (wanted !== undefined && wanted !== HOLD_OUT && !names.includes(wanted)) {
    throw invalidRequest([{ path: 'variant', message: `must be one of the variants: ${names.join(', ')}` }]);
  }
  const perDevice = perDeviceOf(content, PREVIEW_ID);
  const facts = perDevice?.facts ?? [];
  const values = (await readFacts(db, { appId, deviceIds: [deviceId], facts })).get(deviceId);
  if (values === undefined) throw noSuchDevice();
  if (perDevice === undefined) {
    return { id: deviceId, version: versionsOf(content)[0], group: undefined, by: null };
  }
  const { groupOf } = perDevice;
  if (groupOf === undefined) return { id: deviceId, ...perDevice.choose(values), group: undefined, by: null };
  const by = wanted !== undefined ? 'request' : content.experiment !== undefined ? 'experiment' : 'none';
  const group = wanted ?? (by === 'experiment' ? groupOf(deviceId, values) : names[0]);
  return { id: deviceId, ...perDevice.choose(values, group), group, by };
}

/** @returns what creation returns, or the error with which it refuses */
function attempt<Result>(
  work: () => Result,
): { result: Result; refusal?: undefined } | { result?: undefined; refusal: ApiError } {
  try {
    return { result: work() };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error };
    throw error;
  }
}

const COMPILED_KEYS: ReadonlySet<string> = new Set(
  (
    'payload localized encrypted_texts template variants hold_out experiment time_to_live priority ' +
    'android_presentation android receipts apns live_activity'
  ).split(' '),
);

/**
 * While a notification is being written, its target or its time is often missing. Neither changes the payload, so the
 * payload is compiled without them.
 */
function compilableRequest(body: unknown, now: Date): NotificationRequest | undefined {
  const notification = isJsonObject(body) ? body['notification'] : undefined;
  if (!isJsonObject(notification)) return undefined;
  const compiled = Object.fromEntries(Object.entries(notification).filter(([key]) => COMPILED_KEYS.has(key)));
  const { deliver_at: deliverAt } = notification;
  const times = deliverAt === undefined ? [{}] : [{ deliver_at: deliverAt }, {}];
  for (const time of times) {
    const { result } = attempt(() => parseRequest({ notification: { ...compiled, ...time, to: '*' } }, now));
    if (result !== undefined) return result;
  }
  return undefined;
}
