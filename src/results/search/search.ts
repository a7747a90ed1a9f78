/** Finds the devices of a notification by outcome, reason, variant, platform, gateway and app version, in the order of their ids. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { bulkShare } from '../../scheduling/event-loop-share.ts';
import { readableReason } from '../../gateways/reason.ts';
import { unstorableText } from '../../json/lossless.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { wholeNumber } from '../../api/page-cursor.ts';
import { idText, pageMeta, timeText } from '../../api/reply.ts';
import { gatewayNames, platforms } from '../../route.ts';
import { FIRST_UUID, isUuid, LAST_UUID } from '../../uuid.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';
import { type Outcome, outcomeKinds, unpackOutcomes } from '../../delivery/outcomes/packed.ts';
import {
  type PackedRange,
  readRanges,
  readSearchedDevices,
  readWholeOutcomes,
  type SearchPosition,
} from './search-store.ts';

const PER_PAGE_MAX = 500;
const PER_PAGE_DEFAULT = 100;
/** A slice has some 1,000 outcomes, which are unpacked in about a millisecond. */
const SLICES_AT_ONCE = 4;
/** A page ends after this many slices, however little was found. */
const SLICES_PER_PAGE = 40;

const CURSOR_RULE = 'must be the cursor of the previous page';
const TEXT_RULE = 'must be text of 1 to 255 characters';
const wantedText = z
  .string(TEXT_RULE)
  .min(1, TEXT_RULE)
  .max(255, TEXT_RULE)
  .refine((text) => unstorableText(text) === undefined, TEXT_RULE);

export const outcomeFilter = {
  outcome: z
    .enum(outcomeKinds, `must be one of ${outcomeKinds.join(', ')}`)
    .describe('Only devices with this outcome.')
    .optional(),
  reason: wantedText
    .describe('Only devices with this reason: the code, such as `BadDeviceToken`, or the text of a reply.')
    .optional(),
  variant: wantedText
    .describe('Only devices with this variant of an A/B test; `hold_out`: devices that got nothing.')
    .optional(),
  platform: z
    .enum(platforms, 'must be iOS, Android or Web')
    .describe('Only devices of this platform.')
    .optional(),
  gateway: z
    .enum(gatewayNames, `must be one of ${gatewayNames.join(', ')}`)
    .describe(
      'Only devices that this gateway reaches now. With `platform=iOS`, `fcm` finds iPhones that are reached through Firebase.',
    )
    .optional(),
  app_version: wantedText.describe('Only devices that have this version of the app now.').optional(),
};

const filterSchema = z.object(outcomeFilter);
export type OutcomeFilter = z.output<typeof filterSchema>;

export const searchQuery = z.object({
  ...outcomeFilter,
  per: wholeNumber(PER_PAGE_MAX, 'Devices per page.').default(PER_PAGE_DEFAULT),
  cursor: z
    .string(CURSOR_RULE)
    .transform((cursor, context): SearchPosition => {
      const [afterId = '', slice = ''] = Buffer.from(cursor, 'base64url').toString().split('/');
      if (isUuid(afterId) && /^\d{1,9}$/.test(slice)) return { slice: Number(slice), afterId };
      context.addIssue(CURSOR_RULE);
      return z.NEVER;
    })
    .meta({ type: 'string', description: '`meta.cursor` of the previous page.' })
    .optional(),
});

export const foundDeliveryReply = z
  .strictObject({
    device_id: idText,
    outcome: z.enum(outcomeKinds),
    reason: z.string().nullable().describe('The code or text with which the push was refused.'),
    at: timeText,
    platform: z.enum(platforms).nullable().describe('Null if the device was erased.'),
    gateway: z
      .enum(gatewayNames)
      .nullable()
      .describe('The gateway that reaches the device now; null if it was erased.'),
    app_version: z.string().nullable().describe('The version of the app on the device now.'),
    variant: z
      .string()
      .nullable()
      .describe('The variant of the device, or `hold_out`; null if the notification is no A/B test.'),
    user_id: z.string().nullable().describe('The user of the device now.'),
    marketing_name: z.string().nullable().describe('The model of the device.'),
  })
  .meta({ id: 'FoundDelivery' });
export type FoundDelivery = z.output<typeof foundDeliveryReply>;

export const searchReply = z
  .strictObject({
    deliveries: z.array(foundDeliveryReply),
    meta: pageMeta.describe('A page may be short, or empty, before the last one.'),
  })
  .meta({ id: 'DeliveryList' });

/** @throws {ApiError} `not_found`, also if the outcomes are no longer kept */
export async function searchOutcomes(
  db: Kysely<Database>,
  key: NotificationKey,
  { per, cursor, ...filter }: z.output<typeof searchQuery>,
): Promise<z.output<typeof searchReply>> {
  const found: FoundDelivery[] = [];
  let slices = 0;
  for await (const { slice, lastId, outcomes } of outcomesAfter(db, key, cursor, filter)) {
    // Without conditions on devices, only the devices of the page are looked up.
    const missing = per + 1 - found.length;
    const some = hasDeviceFilter(filter) ? outcomes : outcomes.slice(0, missing);
    found.push(...(await withDevices(db, key.appId, some, filter)));
    if (found.length > per) {
      const page = found.slice(0, per);
      return { deliveries: page, meta: { cursor: cursorAfter(slice, page.at(-1)?.device_id) } };
    }
    if (++slices === SLICES_PER_PAGE)
      return { deliveries: found, meta: { cursor: cursorAfter(slice, lastId) } };
  }
  return { deliveries: found, meta: { cursor: null } };
}

export interface RangeOutcomes {
  /** The number of the slice. */
  slice: number;
  lastId: string;
  /** Outcomes that match the filter's outcome, reason and variant, sorted by id. */
  outcomes: (readonly [string, Outcome])[];
}

/**
 * The outcomes of devices after a position, slice by slice. Holds no connection between slices, and leaves the event loop to others.
 * @throws {ApiError} `not_found`
 */
export async function* outcomesAfter(
  db: Kysely<Database>,
  key: NotificationKey,
  from: SearchPosition | undefined,
  filter: OutcomeFilter,
): AsyncGenerator<RangeOutcomes, void> {
  if (!isUuid(key.notificationId)) throw noSuchNotification();
  const whole = await readWholeOutcomes(db, key);
  if (whole === undefined) throw noSuchNotification();
  if (whole.prunedAt !== null) {
    throw new ApiError('not_found', {
      message: 'The per-device outcomes of this notification are no longer kept; its counters remain.',
    });
  }
  if (whole.outcomes !== null) {
    yield fitting({ number: 0, lastId: LAST_UUID, packed: [whole.outcomes] }, from, filter);
    return;
  }
  let after = from ?? { slice: 0, afterId: FIRST_UUID };
  for (;;) {
    const wanted = { after, kind: filter.outcome, limit: SLICES_AT_ONCE };
    const ranges = await readRanges(db, key, wanted);
    for (const range of ranges) {
      const free = bulkShare.whenFree();
      if (free !== undefined) await free;
      yield fitting(range, from, filter);
      after = { slice: range.number, afterId: range.lastId };
    }
    if (ranges.length < SLICES_AT_ONCE) return;
  }
}

function fitting(
  { number: slice, lastId, packed }: PackedRange,
  from: SearchPosition | undefined,
  { outcome, reason, variant }: OutcomeFilter,
): RangeOutcomes {
  const all = packed.flatMap((each) => [...unpackOutcomes(each)]);
  const outcomes = all
    .filter(([id]) => slice !== from?.slice || id > from.afterId)
    .filter(([, { kind }]) => outcome === undefined || kind === outcome)
    .filter(([, found]) => reason === undefined || hasReason(found, reason))
    .filter(([, found]) => variant === undefined || found.variant === variant)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return { slice, lastId, outcomes };
}

function hasReason({ reason: stored }: Outcome, wanted: string): boolean {
  return stored !== null && (stored === wanted || readableReason(stored) === wanted);
}

function hasDeviceFilter({ platform, gateway, app_version: version }: OutcomeFilter): boolean {
  return platform !== undefined || gateway !== undefined || version !== undefined;
}

/** Adds the present attributes of the devices, and applies the filter's conditions on them. */
export async function withDevices(
  db: Kysely<Database>,
  appId: string,
  outcomes: RangeOutcomes['outcomes'],
  { platform, gateway, app_version: version }: OutcomeFilter,
): Promise<FoundDelivery[]> {
  const ids = outcomes.map(([id]) => id);
  const found = ids.length === 0 ? [] : await readSearchedDevices(db, appId, ids);
  const devices = new Map(found.map(({ id, ...device }) => [id, device]));
  return outcomes.flatMap(([id, { kind, reason, variant, atMs }]) => {
    const device = devices.get(id);
    if (platform !== undefined && device?.platform !== platform) return [];
    if (gateway !== undefined && device?.gateway !== gateway) return [];
    if (version !== undefined && device?.app_version !== version) return [];
    return [
      {
        device_id: id,
        outcome: kind,
        reason: reason === null ? null : readableReason(reason),
        at: new Date(atMs).toISOString(),
        platform: device?.platform ?? null,
        gateway: device?.gateway ?? null,
        app_version: device?.app_version ?? null,
        variant: variant ?? null,
        user_id: device?.user_id ?? null,
        marketing_name: device?.marketing_name ?? null,
      },
    ];
  });
}

function cursorAfter(slice: number, deviceId: string | undefined): string | null {
  return deviceId === undefined ? null : Buffer.from(`${deviceId}/${slice}`).toString('base64url');
}
