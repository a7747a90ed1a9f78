/** Parses the bodies and queries of the audience calls. Faults of a body and of its filters are reported together. */
import { z } from 'zod';
import { audienceKinds } from '../../../audiences/audience-store.ts';
import type { Filter } from '../../../filters/filter.ts';
import { parseFilters } from '../../../filters/filter-schema.ts';
import { pageCursor, wholeNumber } from '../../../api/page-cursor.ts';
import { inAnyCase, isJsonObject, type Parsed, parseWith, text } from '../../../api/parse.ts';
import { isUuid } from '../../../uuid.ts';
import { filtersShape } from '../../openapi/filter-shape.ts';

const NAME_CHARACTERS_MAX = 255;
const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 50;
/** Postgres reads all pages before the requested one, so this limits the cost. */
const PAGE_MAX = 1_000;

/** Names that the service gives to its own audiences. Clients recognise these audiences by their names. */
const RESERVED_NAME = new RegExp(`^\\s*(?:${inAnyCase('api_audience_')}|${inAnyCase('all devices')}\\s*$)`);

const name = text(NAME_CHARACTERS_MAX, 1)
  .refine(
    (written) => !RESERVED_NAME.test(written),
    'must not begin with "api_audience_" or be "All devices": these names are reserved',
  )
  .meta({
    not: { pattern: RESERVED_NAME.source },
    description: 'Must not be `All devices` or begin with `api_audience_`: these names are reserved.',
  });

const filters = z.unknown().optional(); // parsed by src/filters
const namedAudienceBody = z.strictObject(
  {
    audience: z.strictObject({ name, filters }, 'must be an object: {"name", "filters"}'),
  },
  'must be an object: {"audience": {"name", "filters"}}',
);
const editBody = namedAudienceBody.extend({
  if_updated_at: z.iso
    .datetime({ error: 'must be the updated_at of the audience that was read' })
    .describe('The `updated_at` that was read: if the audience was changed since, nothing is.')
    .optional(),
});
const countBody = z.strictObject({ filters }, 'must be an object: {"filters"}');
const explainBody = z.strictObject(
  { filters, device_id: z.string('must be the id of a device') },
  'must be an object: {"filters", "device_id"}',
);

/** Bodies for the document, in which filters have a schema. */
export const createAudienceBody = namedAudienceBody
  .extend({
    audience: namedAudienceBody.shape.audience.extend({ filters: filtersShape }).meta({ id: 'NewAudience' }),
  })
  .meta({ id: 'CreateAudience' });
export const editAudienceBody = createAudienceBody
  .extend({ if_updated_at: editBody.shape.if_updated_at })
  .meta({ id: 'EditAudience' });
export const countAudienceBody = countBody.extend({ filters: filtersShape }).meta({ id: 'CountAudience' });
export const explainFiltersBody = explainBody
  .extend({ filters: filtersShape })
  .meta({ id: 'ExplainFilters' });

export interface NamedAudience {
  name: string;
  filters: readonly Filter[];
}

/** Parses `{"audience": {"name", "filters"}}`. @throws {ApiError} `invalid_request` with every fault */
export function parseNamedAudience(body: unknown): NamedAudience {
  const { whole, part } = parseWith(namedAudienceBody, body, filtersOfAudience(body));
  return { name: whole.audience.name, filters: part };
}

/** Parses `{"audience": {"name", "filters"}, "if_updated_at"}`. @throws {ApiError} `invalid_request` with every fault */
export function parseEdit(body: unknown): NamedAudience & { ifUpdatedAt: Date | undefined } {
  const { whole, part } = parseWith(editBody, body, filtersOfAudience(body));
  const { audience, if_updated_at: at } = whole;
  return { name: audience.name, filters: part, ifUpdatedAt: at === undefined ? undefined : new Date(at) };
}

/** Parses `{"filters": […]}`. @throws {ApiError} `invalid_request` with every fault */
export function parseCount(body: unknown): readonly Filter[] {
  return parseWith(countBody, body, filtersIn(body, 'filters')).part;
}

/** Parses `{"filters": […], "device_id"}`. @throws {ApiError} `invalid_request` with every fault */
export function parseExplain(body: unknown): { filters: readonly Filter[]; deviceId: string } {
  const { whole, part } = parseWith(explainBody, body, filtersIn(body, 'filters'));
  return { filters: part, deviceId: whole.device_id };
}

export const listQuery = z.object({
  per: wholeNumber(PER_PAGE_MAX, 'Entries per page.').default(PER_PAGE_DEFAULT),
  cursor: pageCursor,
  page: wholeNumber(
    PAGE_MAX,
    'The number of the page, from 1; counted from the `cursor` if there is one. Later pages are slower.',
  ).default(1),
  kind: z
    .enum(audienceKinds, `must be one of ${audienceKinds.join(', ')}`)
    .describe('Lists only audiences of this kind.')
    .optional(),
});

/** Pages are sorted by device id, so devices that come and go do not cause another to be skipped or repeated. */
export const cursorQuery = z.object({
  cursor: z
    .string('must be the cursor of the previous page')
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString())
    .refine(isUuid, 'must be the cursor of the previous page')
    .meta({ type: 'string', description: '`meta.cursor` of the previous page.' })
    .optional(),
});

/** The cursor of the page after this device. Null after an empty page, which ends the list. */
export function cursorAfter(deviceId: string | undefined): string | null {
  return deviceId === undefined ? null : Buffer.from(deviceId).toString('base64url');
}

function filtersOfAudience(body: unknown): Parsed<readonly Filter[]> | undefined {
  return isJsonObject(body) ? filtersIn(body['audience'], 'audience.filters') : undefined;
}

function filtersIn(wrapper: unknown, path: string): Parsed<readonly Filter[]> | undefined {
  if (!isJsonObject(wrapper)) return undefined;
  const parsed = parseFilters(wrapper['filters'], path);
  return parsed.ok ? { value: parsed.filters } : { faults: parsed.faults };
}
