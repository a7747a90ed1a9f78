/**
 * Turns filters into one SQL condition over the row `d` of `devices`. Between filters AND, between criteria
 * OR. Every name and value is bound, and a filter binds a few lists however many criteria it has.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileCustom } from './compile-custom.ts';
import { compilePlace } from './compile-place.ts';
import { decimalText } from './decimal.ts';
import type {
  DateCriterion,
  EventCriterion,
  Filter,
  NumberCriterion,
  VersionColumn,
  VersionCriterion,
} from './filter.ts';
import { dateIntervals, type Interval, numberIntervals, versionIntervals } from './interval.ts';
import { isUuid } from '../uuid.ts';

/**
 * @param options.now the moment that math-dates are relative to
 * @returns a condition that is true for the devices that match, and false or null for the others
 */
export function compileFilters(filters: readonly Filter[], { now }: { now: Date }): RawBuilder<SqlBool> {
  if (filters.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.join(
    filters.map((filter) => compileFilter(filter, now)),
    sql` and `,
  )})`;
}

/** "Is not true" is for the devices that lack the attribute, of which the criteria are null. */
function compileFilter(filter: Filter, now: Date): RawBuilder<SqlBool> {
  const condition = compileCriteria(filter, now);
  return filter.not ? sql<SqlBool>`(${condition}) is not true` : condition;
}

function compileCriteria(filter: Filter, now: Date): RawBuilder<SqlBool> {
  switch (filter.kind) {
    case 'text':
      return sql<SqlBool>`${sql.ref(`d.${filter.column}`)} = any(${filter.criteria}::text[])`;
    case 'tags':
      return sql<SqlBool>`d.tags && ${filter.criteria}::text[]`;
    case 'device_id':
      return sql<SqlBool>`d.id = any(${filter.criteria.filter(isUuid)}::uuid[])`;
    case 'version':
      return compileVersion(filter.column, filter.criteria);
    case 'date':
      return sql<SqlBool>`${sql.ref(`d.${filter.column}`)} <@ ${dateMultirange(filter.criteria, now)}`;
    case 'badge':
      return sql<SqlBool>`d.badge::numeric <@ ${numberMultirange(filter.criteria)}`;
    case 'development':
      return sql<SqlBool>`d.development = any(${filter.criteria}::boolean[])`;
    case 'place':
      return compilePlace(filter.criteria, filter.gpsOnly);
    case 'custom_string':
      return compileCustom(
        filter.attribute,
        'string',
        (value) => sql<SqlBool>`${value} #>> '{}' = any(${filter.criteria}::text[])`,
      );
    case 'custom_boolean':
      return compileCustom(
        filter.attribute,
        'boolean',
        (value) => sql<SqlBool>`${value}::boolean = any(${filter.criteria}::boolean[])`,
      );
    case 'custom_number':
      return compileCustom(
        filter.attribute,
        filter.type,
        (value) => sql<SqlBool>`${value}::numeric <@ ${numberMultirange(filter.criteria)}`,
      );
    case 'custom_date':
      return compileCustom(
        filter.attribute,
        'date',
        (value) => sql<SqlBool>`(${value} #>> '{}')::timestamptz <@ ${dateMultirange(filter.criteria, now)}`,
      );
    case 'event':
      return compileEvent(filter.event, filter.criteria, now);
  }
}

function compileVersion(column: VersionColumn, criteria: readonly VersionCriterion[]): RawBuilder<SqlBool> {
  const version = sql.ref(`d.${column}`);
  const texts = criteria.flatMap((criterion) => (criterion.kind === 'text' ? [criterion.value] : []));
  const intervals = versionIntervals(criteria);
  const ranges = multirange(intervals, (key) => `{${key.join(',')}}`);
  return anyOf([
    texts.length > 0 && sql<SqlBool>`${version} = any(${texts}::text[])`,
    texts.length < criteria.length && sql<SqlBool>`version_key(${version}) <@ ${ranges}::version_multirange`,
  ]);
}

/** A device that never had the event has no row: it matches no criterion, not even a count of 0. */
function compileEvent(event: string, criteria: readonly EventCriterion[], now: Date): RawBuilder<SqlBool> {
  const counts = criteria.filter(
    (criterion) => criterion.kind === 'number' || criterion.kind === 'number_range',
  );
  const dates = criteria.filter((criterion) => criterion.kind === 'date_range');
  const happened = criteria.some((criterion) => criterion.kind === 'happened');
  const condition = anyOf([
    happened && sql<SqlBool>`true`,
    counts.length > 0 && sql<SqlBool>`e.count::numeric <@ ${numberMultirange(counts)}`,
    dates.length > 0 && sql<SqlBool>`e.last_happened_at <@ ${dateMultirange(dates, now)}`,
  ]);
  return sql<SqlBool>`exists (
    select from device_events as e
    where e.app_id = d.app_id and e.device_id = d.id and e.name = ${event} and ${condition}
  )`;
}

function anyOf(conditions: readonly (RawBuilder<SqlBool> | false)[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(
    conditions.filter((condition) => condition !== false),
    sql` or `,
  )})`;
}

function numberMultirange(criteria: readonly NumberCriterion[]): RawBuilder<unknown> {
  return sql`${multirange(numberIntervals(criteria), decimalText)}::nummultirange`;
}

function dateMultirange(criteria: readonly DateCriterion[], now: Date): RawBuilder<unknown> {
  return sql`${multirange(dateIntervals(criteria, now), isoText)}::tstzmultirange`;
}

/** The text of a Postgres multirange: any number of intervals in one bound value, searched by bisection. */
function multirange<T>(intervals: readonly Interval<T>[], toText: (value: T) => string): string {
  const ranges = intervals.map(({ lower, upper }) => {
    const from = lower === undefined ? '(' : `${lower.inclusive ? '[' : '('}"${toText(lower.value)}"`;
    const to = upper === undefined ? ')' : `"${toText(upper.value)}"${upper.inclusive ? ']' : ')'}`;
    return `${from},${to}`;
  });
  return `{${ranges.join(',')}}`;
}

function isoText(ms: number): string {
  return new Date(ms).toISOString();
}
