/**
 * Describes filters for the API document. `filters/filter-schema.ts` parses them, because the valid criteria depend on the
 * attribute; a test compares the two.
 */
import { z } from 'zod';
import { METRES_PER_UNIT } from '../../filters/filter.ts';

const bound = z.union([z.number(), z.string()]);

const range = z
  .strictObject({
    gt: bound.optional(),
    gte: bound.optional(),
    lt: bound.optional(),
    lte: bound.optional(),
  })
  .meta({
    minProperties: 1,
    description: 'A range of numbers, dotted versions or math-dates such as `now-1d/d`.',
  });

const point = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});

const distance = z
  .strictObject({
    point,
    distance: z.number().positive(),
    unit: z.enum(Object.keys(METRES_PER_UNIT)),
  })
  .describe('A circle, for `location` and `sdk_location`.');

const polygon = z
  .strictObject({ polygon: z.array(point).min(3).max(1_000) })
  .describe('An area, for `location` and `sdk_location`.');

export const criterionShape = z.union([z.string(), z.number(), z.boolean(), range, distance, polygon]);

export const filterShape = z
  .strictObject({
    name: z.string().describe('A device attribute, `custom.<type>.<name>` or `events.<name>`.'),
    criteria: z.array(criterionShape).min(1).max(1_000).describe('At least one has to match.'),
    not_filter: z.boolean().optional().describe('Negates the filter.'),
  })
  .describe('A condition on devices. The valid criteria depend on the attribute.');

export const filtersShape = z.array(filterShape).min(1).max(50).describe('All of them have to match.');
