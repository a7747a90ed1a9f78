/**
 * The shape of filters, for readers. The filter language reads them itself (`filters/filter-schema.ts`), as
 * what a criterion may be depends on its attribute; the tests hold this against it.
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
  .meta({ minProperties: 1, description: 'Of numbers, dotted versions or math-dates such as `now-1d/d`.' });

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
  .describe('For `location` and `sdk_location`.');

export const criterionShape = z.union([z.string(), z.number(), z.boolean(), range, distance, polygon]);

export const filterShape = z
  .strictObject({
    name: z.string().describe('A device attribute, `custom.<type>.<name>` or `events.<name>`.'),
    criteria: z.array(criterionShape).min(1).max(1_000).describe('One of them has to fit.'),
    not_filter: z.boolean().optional().describe('Selects every device that it would not select without.'),
  })
  .describe('A condition on devices. What a criterion may be depends on the attribute.');

export const filtersShape = z.array(filterShape).min(1).max(50).describe('All of them have to fit.');
