/** Audiences as the API shows them. */
import { z } from 'zod';
import type { Audience, AudienceSummary } from '../audiences/audience-store.ts';
import { type CanonicalFilter, canonicalFilters } from '../audiences/canonical.ts';
import { deviceReply } from '../devices/device.ts';
import { count, idText, timeText } from '../reply.ts';

const summary = z.strictObject({
  id: idText,
  name: z.string(),
  created_at: timeText,
  updated_at: timeText,
  test: z.literal(false).describe('Always false; it is there for clients that expect it.'),
});

const storedFilters: z.ZodType<CanonicalFilter[]> = z
  .array(z.strictObject({ name: z.string(), criteria: z.array(z.unknown()), not_filter: z.boolean() }))
  .describe('In their canonical form: defaults filled in, in a fixed order, without duplicates.');

const audience = summary.extend({
  device_count: count.describe('Exact; that of a large audience may be a few seconds old.'),
  filters: storedFilters,
});

export const audienceReply = z.strictObject({ audience });

export const audienceListReply = z.strictObject({ audiences: z.array(summary) });

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

export const countReply = z.strictObject({ device_count: count });

export function audienceJson(stored: Audience, deviceCount: number): z.output<typeof audience> {
  return {
    ...summaryJson(stored),
    device_count: deviceCount,
    filters: canonicalFilters(stored.filters),
  };
}

/** `test` marks the original service's test audiences; here there are none. */
export function summaryJson({ id, name, createdAt, updatedAt }: AudienceSummary): z.output<typeof summary> {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    test: false,
  };
}
