/**
 * Compiles filters into one SQL condition on the row `d` of a device (`row.ts`): AND between filters, OR between criteria.
 * Every value and name from a caller is a bound parameter. A filter binds a few lists, no matter how many criteria it has.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { anyOf, type Condition, equalsAny, hiddenFromPlanner } from './conditions.ts';
import { customTest } from './compile-custom.ts';
import { compileFlag, compileIntegers, compileMoments, versionRanges } from './compile-interval.ts';
import { compilePlace } from './compile-place.ts';
import type { Row } from './row.ts';
import type { EventCriterion, Filter } from '../../filters/filter.ts';
import { dateIntervals, numberIntervals } from '../../filters/interval.ts';
import { localeSpellings } from '../../locale/spellings.ts';
import { isUuid } from '../../uuid.ts';

type EventFilter = Extract<Filter, { kind: 'event' }>;
type VersionFilter = Extract<Filter, { kind: 'version' }>;

interface CompileOptions {
  row: Row;
  /** The value of `now` in math-dates. */
  now: Date;
}

/** @returns a condition that is true for devices that match, and false or null for the others */
export function compileFilters(filters: readonly Filter[], options: CompileOptions): RawBuilder<SqlBool> {
  return allOf(filters.map((filter) => compileFilter(filter, options)));
}

export function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/** A negated filter also selects devices without the attribute, whose condition is null: hence `is not true`. */
export function compileFilter(filter: Filter, options: CompileOptions): RawBuilder<SqlBool> {
  const condition = compileCriteria(filter, options);
  if (!filter.not) return condition.sql;
  return condition.isExists
    ? sql<SqlBool>`not ${condition.sql}`
    : sql<SqlBool>`(${condition.sql}) is not true`;
}

function compileCriteria(filter: Filter, { row, now }: CompileOptions): Condition {
  switch (filter.kind) {
    case 'text':
      return row.text(filter.column, storedTexts(filter));
    case 'tags':
      return ofRow(row.tags(filter.criteria));
    case 'device_id':
      return ofRow(compileDeviceIds(filter.criteria));
    case 'version':
      return ofRow(compileVersion(filter, row.versionsOf(filter)));
    case 'date':
      return row.date(filter.column, dateIntervals(filter.criteria, now));
    case 'badge':
      return ofRow(compileIntegers(sql.ref('d.badge'), numberIntervals(filter.criteria)));
    case 'development':
      return ofRow(compileFlag(sql.ref('d.development'), filter.criteria));
    case 'place':
      return ofRow(compilePlace(filter.criteria, row.place(filter.gpsOnly)));
    case 'custom_string':
    case 'custom_boolean':
    case 'custom_number':
    case 'custom_date':
      return ofRow(row.custom(customTest(filter, now)));
    case 'event':
      return { sql: compileEvent(row.appId, filter, now), isExists: true };
  }
}

function ofRow(condition: RawBuilder<SqlBool>): Condition {
  return { sql: condition, isExists: false };
}

/** @param found the versions in the filter's ranges; undefined if they were not looked up */
function compileVersion(
  { column, criteria }: VersionFilter,
  found: readonly string[] | undefined,
): RawBuilder<SqlBool> {
  const texts = criteria.flatMap((criterion) => (criterion.kind === 'text' ? [criterion.value] : []));
  const hasRanges = texts.length < criteria.length;
  if (!hasRanges || found !== undefined) return equalsAny(`d.${column}`, [...texts, ...(found ?? [])]);
  return anyOf([
    texts.length > 0 && equalsAny(`d.${column}`, texts),
    sql<SqlBool>`version_key(${sql.ref(`d.${column}`)}) <@ ${versionRanges(criteria)}`,
  ]);
}

/** Text that is not a UUID matches no device. One id, the usual case, becomes `=`, for which Postgres keeps a plan. */
function compileDeviceIds([id = '', ...others]: readonly string[]): RawBuilder<SqlBool> {
  if (others.length === 0) return sql<SqlBool>`d.id = ${isUuid(id) ? id : null}::uuid`;
  return sql<SqlBool>`d.id = any(${[id, ...others].filter(isUuid)}::uuid[])`;
}

/** A device without the event has no row, so it matches no criterion, not even a count of 0. */
function compileEvent(appId: string, { event, criteria }: EventFilter, now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from device_events as e
    where e.app_id = ${hiddenFromPlanner(appId)} and e.device_id = d.id and ${compileEventRow(event, criteria, now)}
  )`;
}

/** @returns a condition on the row `e` of `device_events` */
export function compileEventRow(
  event: string,
  criteria: readonly EventCriterion[],
  now: Date,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`e.name = ${event} and ${compileEventCriteria(sql.ref('e.count'), sql.ref('e.last_happened_at'), criteria, now)}`;
}

/** @returns a condition on the columns of an event that happened */
export function compileEventCriteria(
  count: RawBuilder<unknown>,
  lastHappenedAt: RawBuilder<unknown>,
  criteria: readonly EventCriterion[],
  now: Date,
): RawBuilder<SqlBool> {
  const { happened, counts, dates } = eventCriteriaByKind(criteria);
  return anyOf([
    happened && sql<SqlBool>`true`,
    counts.length > 0 && compileIntegers(count, numberIntervals(counts)),
    dates.length > 0 && compileMoments(lastHappenedAt, dateIntervals(dates, now)),
  ]);
}

/** Sorts the criteria of an event by kind: whether it happened, its count, and its last time. */
export function eventCriteriaByKind(criteria: readonly EventCriterion[]) {
  return {
    happened: criteria.some((criterion) => criterion.kind === 'happened'),
    counts: criteria.filter((criterion) => criterion.kind === 'number' || criterion.kind === 'number_range'),
    dates: criteria.filter((criterion) => criterion.kind === 'date_range'),
  };
}

/**
 * The texts that the criteria select in the column. The canonical form keeps the criteria as they are, so the
 * audience stays the same.
 */
export function storedTexts({ column, criteria }: Extract<Filter, { kind: 'text' }>): readonly string[] {
  return column === 'locale' ? [...new Set(criteria.flatMap(localeSpellings))] : criteria;
}
