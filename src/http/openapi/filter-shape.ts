/**
 * Describes filters for the API document. `filters/filter-schema.ts` parses them without a schema, because numbers have to
 * stay exact; this is made from the same constants, and a test compares the two.
 */
import { z } from 'zod';
import { type Attribute, nameForms } from '../../filters/attributes.ts';
import { permissions } from '../../filters/criterion-schema.ts';
import { VERSION_CHARACTERS_MAX, WRITTEN_VERSION } from '../../filters/dotted-version.ts';
import { boundKeys, METRES_PER_UNIT } from '../../filters/filter.ts';
import { CRITERIA_MAX, FILTERS_MAX } from '../../filters/filter-schema.ts';
import { MATH_DATE } from '../../filters/math-date.ts';
import {
  LATITUDE_MAX,
  LONGITUDE_MAX,
  POLYGON_POINTS_MAX,
  POLYGON_POINTS_MIN,
} from '../../filters/place-schema.ts';
import { WRITTEN_INSTANT } from '../../time/instant.ts';

const mathDate = z
  .string()
  .regex(new RegExp(MATH_DATE))
  .describe('`now` or an ISO 8601 date, steps and a rounding: `now-1d/d`, `2026-01-31||+1M`.')
  .meta({ id: 'MathDate' });

const dateOrTime = z
  .string()
  .regex(WRITTEN_INSTANT)
  .describe('ISO 8601: a date means the whole day in UTC, a date-time that millisecond.')
  .meta({ id: 'DateOrTime' });

const writtenVersion = z.string().max(VERSION_CHARACTERS_MAX).regex(WRITTEN_VERSION);

const numberRange = rangeOf('Number', z.number(), 'A range of numbers.');
const versionRange = rangeOf(
  'Version',
  z.union([z.number().min(0), writtenVersion]),
  'A range of versions, as numbers or texts: `{"gte": "3.9"}`.',
);
const dateRange = rangeOf('Date', mathDate, 'A range of dates: `{"gte": "now-7d/d"}`.');

const point = z
  .strictObject({
    latitude: z.number().min(-LATITUDE_MAX).max(LATITUDE_MAX),
    longitude: z.number().min(-LONGITUDE_MAX).max(LONGITUDE_MAX),
  })
  .meta({ id: 'Point' });

const circle = z
  .strictObject({ point, distance: z.number().positive(), unit: z.enum(Object.keys(METRES_PER_UNIT)) })
  .describe('A circle: its boundary is inside.')
  .meta({ id: 'Circle' });

const polygon = z
  .strictObject({ polygon: z.array(point).min(POLYGON_POINTS_MIN).max(POLYGON_POINTS_MAX) })
  .describe('An area: its last point joins its first.')
  .meta({ id: 'Polygon' });

const CRITERIA_KINDS = {
  text: 'Text',
  tags: 'Text',
  device_id: 'Text',
  custom_string: 'Text',
  version: 'Version',
  date: 'Date',
  custom_date: 'Date',
  badge: 'Number',
  custom_number: 'Number',
  development: 'Boolean',
  custom_boolean: 'Boolean',
  place: 'Place',
  event: 'Event',
} as const satisfies Record<Attribute['kind'], string>;

/**
 * One schema for each kind of value that an attribute accepts. No name is in two of them, so at most one schema matches
 * a filter.
 */
const kinds = {
  Text: filterOf('Text', z.string(), 'A text matches if it is equal.'),
  Permission: filterOf(
    'Permission',
    z.enum(permissions),
    'Whether the user lets the app show notifications.',
  ),
  Version: filterOf(
    'Version',
    z.union([z.string(), z.number().min(0), versionRange]),
    'A text matches that text only; numbers and ranges are compared as versions.',
  ),
  Number: filterOf('Number', z.union([z.number(), numberRange]), 'Numbers are compared exactly.'),
  Boolean: filterOf('Boolean', z.boolean(), 'A boolean matches if it is equal.'),
  Date: filterOf('Date', z.union([dateOrTime, dateRange]), 'A date, or a range of dates and math-dates.'),
  Place: filterOf('Place', z.union([circle, polygon]), 'Circles and polygons.'),
  Event: filterOf(
    'Event',
    z.union([z.literal(true), z.number(), numberRange, dateRange]),
    'Whether the event happened (`true`), how often, or, with dates, when it last happened.',
  ),
};

const filter = z
  .xor(Object.values(kinds))
  .describe('A condition on devices. The valid criteria depend on the attribute.')
  .meta({ id: 'Filter' });

export const filtersShape = z.array(filter).min(1).max(FILTERS_MAX).describe('All of them have to match.');

function filterOf(kind: ReturnType<typeof attributeKindOf>, criterion: z.ZodType, rule: string): z.ZodType {
  const forms = nameForms.filter(({ attribute }) => attributeKindOf(attribute) === kind);
  const pattern = forms.map((form) => form.pattern).join('|');
  const written = forms.map((form) => `\`${form.written}\``).join(', ');
  return z
    .strictObject({
      name: z
        .string()
        .regex(new RegExp(`^(?:${pattern})$`))
        .describe(`${forms.length === 1 ? 'Is' : 'One of'} ${written}.`),
      criteria: z.array(criterion).min(1).max(CRITERIA_MAX).describe('At least one has to match.'),
      not_filter: z.boolean().optional().describe('Negates the filter.'),
    })
    .meta({ id: `${kind}Filter`, description: rule });
}

/** The kind of criteria that an attribute accepts; `readBody` of `filters/filter-schema.ts` reads them. */
function attributeKindOf(attribute: Attribute) {
  if (attribute.kind === 'text' && attribute.column === 'notifications_allowed') return 'Permission';
  return CRITERIA_KINDS[attribute.kind];
}

function rangeOf(kind: string, bound: z.ZodType, description: string): z.ZodType {
  return z
    .strictObject(Object.fromEntries(boundKeys.map((key) => [key, bound.optional()])))
    .meta({ id: `${kind}Range`, minProperties: 1, description });
}
