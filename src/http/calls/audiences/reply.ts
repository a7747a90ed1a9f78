/** The replies of the audience calls. */
import { z } from 'zod';
import {
  type Audience,
  audienceKinds,
  type AudienceSummary,
  type ListedAudience,
} from '../../../audiences/audience-store.ts';
import type { AudienceUse } from '../../../audiences/delete.ts';
import type { DeviceCount } from '../../../targeting/count-devices.ts';
import type { CountOfEach } from '../../../targeting/count-each-filter.ts';
import { EXPLAINED_CRITERIA_MAX, type FilterExplanation } from '../../../targeting/explain-device.ts';
import type { Filter } from '../../../filters/filter.ts';
import { type CanonicalFilter, writtenFilters } from '../../../filters/canonical.ts';
import { deviceReply } from '../../../devices/device.ts';
import { count, idText, pageMeta, timeText } from '../../../api/reply.ts';

const summary = z.strictObject({
  id: idText,
  name: z.string(),
  created_at: timeText,
  updated_at: timeText,
  test: z.literal(false).describe('Always false; kept for clients that expect it.'),
});

const storedFilters: z.ZodType<CanonicalFilter[]> = z
  .array(
    z
      .strictObject({ name: z.string(), criteria: z.array(z.unknown()), not_filter: z.boolean() })
      .meta({ id: 'StoredFilter' }),
  )
  .describe(
    'With defaults and without duplicates; of a named audience in the order in which they were written, else in a fixed one.',
  );

const counts = {
  device_count: count.describe(
    'All devices that match, including those without a push token. Exact; for a large audience it may be a few seconds old.',
  ),
  reachable_count: count.describe('Matching devices that have a push token, counted at the same moment.'),
};

const audience = summary
  .extend({
    ...counts,
    filters: storedFilters,
  })
  .meta({ id: 'Audience' });

export const audienceReply = z.strictObject({ audience }).meta({ id: 'OneAudience' });

const listed = summary
  .extend({
    kind: z
      .enum(audienceKinds)
      .describe('`everyone`: all devices; `on_the_fly`: made by a notification; `named`: created by name.'),
    last_used_at: timeText.describe('When it was last targeted or read, to the day.'),
    filters: storedFilters
      .nullable()
      .describe('Null if they are longer than 4,000 characters of JSON: read the audience.'),
  })
  .meta({ id: 'ListedAudience' });

export const audienceListReply = z
  .strictObject({
    audiences: z.array(listed),
    meta: pageMeta,
  })
  .meta({ id: 'AudienceList' });

export const audienceDevicesReply = z
  .strictObject({
    meta: z
      .strictObject({
        cursor: z.string().nullable().describe('Leads to the next page; null after the last one.'),
        total: count.describe('The device count of the audience.'),
      })
      .meta({ id: 'AudienceDevicesMeta' }),
    devices: z.array(deviceReply),
  })
  .meta({ id: 'AudienceDevices' });

export const explanationReply = z
  .strictObject({
    matches: z.boolean().describe('Whether the device is in the audience: every filter selects it.'),
    filters: z.array(
      z
        .strictObject({
          name: z.string(),
          matches: z.boolean().describe('Whether this filter selects the device.'),
          not_filter: z.boolean(),
          value: z
            .unknown()
            .describe(
              'The value of the device, as `GET /v6/devices/<id>` shows it: for a custom attribute its ' +
                'type and value, for an event its count and times. Null if it has none.',
            ),
          criteria: z
            .array(
              z
                .strictObject({ criterion: z.unknown(), matches: z.boolean() })
                .meta({ id: 'ExplainedCriterion' }),
            )
            .describe(
              `The first ${EXPLAINED_CRITERIA_MAX} criteria, in canonical form; \`matches\` is the answer before \`not_filter\`.`,
            ),
          criteria_count: count,
        })
        .meta({ id: 'ExplainedFilter' }),
    ),
  })
  .meta({ id: 'Explanation' });

const useReply = z
  .strictObject({
    id: idText.describe('The notification.'),
    state: z.enum(['scheduled', 'sending']),
    created_at: timeText,
    due_at: timeText.describe('When it is, or was, due.'),
  })
  .meta({ id: 'AudienceUse' });

export const audienceUsesReply = z
  .strictObject({ notifications: z.array(useReply) })
  .meta({ id: 'AudienceUses' });

export const deviceSampleReply = z
  .strictObject({ devices: z.array(deviceReply) })
  .meta({ id: 'DeviceSample' });

export const countReply = z.strictObject(counts).meta({ id: 'DeviceCount' });

export const filterCountsReply = z
  .strictObject({
    ...counts,
    filters: z.array(
      z
        .strictObject({
          name: z.string(),
          device_count: count.nullable().describe('The devices that this filter selects alone.'),
          left_count: count
            .nullable()
            .describe('The devices that this filter and all filters before it select.'),
        })
        .meta({ id: 'FilterCount' }),
    ),
    counted_at: timeText.describe('The moment of all counts; a few seconds ago if counting takes long.'),
  })
  .meta({ id: 'FilterCounts' });

export function countJson({ devices, reachable }: DeviceCount): z.output<typeof countReply> {
  return { device_count: devices, reachable_count: reachable };
}

export function audienceJson(stored: Audience, counted: DeviceCount): z.output<typeof audience> {
  return {
    ...summaryJson(stored),
    ...countJson(counted),
    filters: writtenFilters(stored.filters),
  };
}

export function countOfEachJson(
  sent: readonly Filter[],
  { total, filters }: CountOfEach,
  countedAt: Date,
): z.output<typeof filterCountsReply> {
  return {
    ...countJson(total),
    filters: sent.map(({ name }, index) => ({
      name,
      device_count: filters[index]?.alone ?? null,
      left_count: filters[index]?.left ?? null,
    })),
    counted_at: countedAt.toISOString(),
  };
}

export function explanationJson(explained: readonly FilterExplanation[]): z.output<typeof explanationReply> {
  return {
    matches: explained.every(({ matches }) => matches),
    filters: explained.map(({ filter, matches, value, criteria }) => ({
      name: filter.name,
      matches,
      not_filter: filter.not_filter,
      value,
      criteria: criteria.map((isMet, index) => ({ criterion: filter.criteria[index], matches: isMet })),
      criteria_count: filter.criteria.length,
    })),
  };
}

export function listedJson(stored: ListedAudience): z.output<typeof listed> {
  const { kind, lastUsedAt, filters } = stored;
  return {
    ...summaryJson(stored),
    kind,
    last_used_at: lastUsedAt.toISOString(),
    filters: filters === undefined ? null : writtenFilters(filters),
  };
}

export function useJson({ id, state, createdAt, dueAt }: AudienceUse): z.output<typeof useReply> {
  return { id, state, created_at: createdAt.toISOString(), due_at: dueAt.toISOString() };
}

/** `test` marked test audiences of the original service; Carillon has none. */
function summaryJson({ id, name, createdAt, updatedAt }: AudienceSummary): z.output<typeof summary> {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    test: false,
  };
}
