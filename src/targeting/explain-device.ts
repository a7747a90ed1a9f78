/**
 * Explains why filters select a device or not: gives an answer for each filter and each of its criteria, and the value
 * that the device has. One statement reads it all, with the conditions that select devices.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { type CanonicalFilter, canonicalFilters } from '../filters/canonical.ts';
import type { Filter } from '../filters/filter.ts';
import { parseFilters } from '../filters/filter-schema.ts';
import { isUuid } from '../uuid.ts';
import { compileFilter } from './rows/compile.ts';
import { devicesRow, type Row } from './rows/row.ts';

/** A filter may have a thousand criteria. The first ones are explained one by one, the others only together. */
export const EXPLAINED_CRITERIA_MAX = 20;

export interface FilterExplanation {
  /** In canonical form. */
  filter: CanonicalFilter;
  /** Whether the filter selects the device. */
  matches: boolean;
  /** The device's value, in the form in which `GET /v6/devices/<id>` shows it; null if it has none. */
  value: unknown;
  /** Whether the device meets each criterion, before `not_filter`; for the first `EXPLAINED_CRITERIA_MAX`. */
  criteria: boolean[];
}

interface ExplainRequest {
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
  deviceId: string;
}

/**
 * @returns an explanation for each filter, in order; the device is in the audience if all match. Undefined if the app does
 *   not have the device.
 */
export async function explainDevice(
  db: Kysely<Database>,
  { appId, filters, now, deviceId }: ExplainRequest,
): Promise<FilterExplanation[] | undefined> {
  if (!isUuid(deviceId)) return undefined;
  const row = devicesRow(appId);
  // Thousands of long values take some 30 ms in each step; other work gets a turn between the steps.
  await turn();
  const written = canonicalEach(filters);
  await turn();
  const criteria = written.map((filter) => criteriaOf(filter));
  const answersOf = (some: readonly Filter[]): RawBuilder<boolean[]> =>
    sql`array[${sql.join(some.map((filter) => sql`coalesce(${compileFilter(filter, { row, now })}, false)`))}]::boolean[]`;
  const explained = await db
    .selectFrom('devices as d')
    .select([
      answersOf(filters).as('matches'),
      answersOf(criteria.flat()).as('criteria'),
      sql<unknown[]>`jsonb_build_array(${sql.join(filters.map((filter) => valueOf(filter, row)))})`.as(
        'values',
      ),
    ])
    .where('d.app_id', '=', appId)
    .where('d.id', '=', deviceId)
    .executeTakeFirst();
  if (explained === undefined) return undefined;
  const { matches, criteria: met, values } = explained;
  let first = 0;
  return written.map((filter, index) => {
    const begin = first;
    first += criteria[index]?.length ?? 0;
    return {
      filter,
      matches: matches[index] ?? false,
      value: values[index] ?? null,
      criteria: met.slice(begin, first),
    };
  });
}

/** The canonical form of each filter, in the order of the list. */
export function canonicalEach(filters: readonly Filter[]): CanonicalFilter[] {
  return filters.flatMap((filter) => canonicalFilters([filter]));
}

/** @returns a filter for each of the first criteria */
function criteriaOf({ name, criteria }: CanonicalFilter): readonly Filter[] {
  const first = criteria.slice(0, EXPLAINED_CRITERIA_MAX);
  const parsed = parseFilters(
    first.map((criterion) => ({ name, criteria: [criterion] })),
    'filters',
  );
  if (!parsed.ok) throw new Error(`a criterion of ${name} does not parse`);
  return parsed.filters;
}

/** @returns JSON */
function valueOf(filter: Filter, row: Row): RawBuilder<unknown> {
  switch (filter.kind) {
    case 'text':
    case 'version':
      return sql`to_jsonb(${sql.ref(`d.${filter.column}`)})`;
    case 'tags':
      return sql`to_jsonb(d.tags)`;
    case 'device_id':
      return sql`to_jsonb(d.id)`;
    case 'date':
      return isoTime(sql.ref(`d.${filter.column}`));
    case 'badge':
      return sql`to_jsonb(d.badge)`;
    case 'development':
      return sql`to_jsonb(d.development)`;
    case 'place': {
      const { latitude, longitude } = row.place(filter.gpsOnly);
      return sql`case when ${latitude} is not null
        then jsonb_build_object('latitude', ${latitude}, 'longitude', ${longitude}) end`;
    }
    case 'custom_string':
    case 'custom_number':
    case 'custom_date':
    case 'custom_boolean':
      return sql`d.custom -> ${filter.attribute}::text`;
    case 'event':
      return sql`(
        select jsonb_build_object('count', e.count, 'first_happened_at', ${isoTime(sql.ref('e.first_happened_at'))},
          'last_happened_at', ${isoTime(sql.ref('e.last_happened_at'))})
        from device_events as e
        where e.app_id = d.app_id and e.device_id = d.id and e.name = ${filter.event}
      )`;
  }
}

/** @returns a JSON text in the format of all replies */
function isoTime(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_jsonb(to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
}
