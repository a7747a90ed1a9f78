/** The replies of the audience calls. */
import { z } from 'zod';
import type { Audience, AudienceSummary } from '../../audiences/audience-store.ts';
import type { DeviceCount } from '../../targeting/count-devices.ts';
import { type CanonicalFilter, canonicalFilters } from '../../filters/canonical.ts';
import { deviceReply } from '../../devices/device.ts';
import { count, idText, timeText } from '../../reply.ts';

const summary = z.strictObject({
  id: idText,
  name: z.string(),
  created_at: timeText,
  updated_at: timeText,
  test: z.literal(false).describe('Always false; kept for clients that expect it.'),
});

const storedFilters: z.ZodType<CanonicalFilter[]> = z
  .array(z.strictObject({ name: z.string(), criteria: z.array(z.unknown()), not_filter: z.boolean() }))
  .describe('In canonical form: with defaults, in a fixed order, without duplicates.');

const counts = {
  device_count: count.describe(
    'All devices that match, including those without a push token. Exact; for a large audience it may be a few seconds old.',
  ),
  reachable_count: count.describe(
    'The devices among them that have a push token, counted at the same moment.',
  ),
};

const audience = summary.extend({
  ...counts,
  filters: storedFilters,
});

export const audienceReply = z.strictObject({ audience });

export const audienceListReply = z.strictObject({
  audiences: z.array(summary),
  meta: z.strictObject({
    cursor: z.string().nullable().describe('Leads to the next page; null on the last one.'),
  }),
});

export const audienceDevicesReply = z.strictObject({
  meta: z.strictObject({
    cursor: z.string().nullable().describe('Leads to the next page; null after the last one.'),
    total: count.describe('The device count of the audience.'),
  }),
  devices: z.array(deviceReply),
});

export const explanationReply = z.strictObject({
  matches: z.boolean().describe('Whether the device is in the audience: every filter selects it.'),
  filters: z.array(z.strictObject({ name: z.string(), matches: z.boolean() })),
});

export const countReply = z.strictObject(counts);

export function countJson({ devices, reachable }: DeviceCount): z.output<typeof countReply> {
  return { device_count: devices, reachable_count: reachable };
}

export function audienceJson(stored: Audience, counted: DeviceCount): z.output<typeof audience> {
  return {
    ...summaryJson(stored),
    ...countJson(counted),
    filters: canonicalFilters(stored.filters),
  };
}

/** `test` marked test audiences of the original service; Carillon has none. */
export function summaryJson({ id, name, createdAt, updatedAt }: AudienceSummary): z.output<typeof summary> {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    test: false,
  };
}
