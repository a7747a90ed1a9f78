/**
 * Turns filters into one SQL condition over the row `d` of `devices`, or of `device_targets` where devices are
 * counted. Between filters AND, between criteria OR. Every value is bound, and so is every name that a caller
 * gave; a filter binds a few lists however many criteria it has.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileCustom } from './compile-custom.ts';
import { anyOf, compileFlag, compileIntegers, compileMoments, versionRanges } from './compile-interval.ts';
import { compilePlace } from './compile-place.ts';
import type { Targets } from './column-map.ts';
import type {
  DateCriterion,
  EventCriterion,
  Filter,
  VersionColumn,
  VersionCriterion,
} from '../../filters/filter.ts';
import { dateIntervals, numberIntervals } from '../../filters/interval.ts';
import { isUuid } from '../../uuid.ts';

type EventFilter = Extract<Filter, { kind: 'event' }>;

interface CompileOptions {
  appId: string;
  /** The moment that math-dates are relative to. */
  now: Date;
  /** Where `d` is a row of `device_targets`: what was read for these very filters. */
  targets?: Targets;
  /** Whether so few devices are judged that nothing is to be prepared for millions. */
  judgesFew?: boolean;
}

/** @returns a condition that is true for the devices that match, and false or null for the others */
export function compileFilters(filters: readonly Filter[], options: CompileOptions): RawBuilder<SqlBool> {
  if (filters.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.join(
    filters.map((filter) => compileFilter(filter, options)),
    sql` and `,
  )})`;
}

/**
 * "Is not true" is for the devices that lack the attribute, of which the criteria are null. What is looked up
 * in another table is never null, and Postgres makes a join of `not exists` alone.
 */
function compileFilter(filter: Filter, options: CompileOptions): RawBuilder<SqlBool> {
  const condition = compileCriteria(filter, options);
  if (!filter.not) return condition;
  return isLookedUp(filter, options)
    ? sql<SqlBool>`not ${condition}`
    : sql<SqlBool>`(${condition}) is not true`;
}

function compileCriteria(filter: Filter, options: CompileOptions): RawBuilder<SqlBool> {
  const { appId, now, targets } = options;
  switch (filter.kind) {
    case 'text':
      return isLookedUp(filter, options)
        ? compileUser(appId, filter.column, filter.criteria)
        : isAnyOf(`d.${filter.column}`, filter.criteria);
    case 'tags':
      // A list of texts there, and shorter than an array of texts, in JSON here.
      return targets === undefined
        ? sql<SqlBool>`d.tags && ${filter.criteria}::text[]`
        : sql<SqlBool>`d.tags ?| ${filter.criteria}::text[]`;
    case 'device_id':
      return compileDeviceIds(filter.criteria);
    case 'version':
      return compileVersion(filter.column, filter.criteria, targets?.versions.get(filter));
    case 'date':
      return isLookedUp(filter, options)
        ? compileRegistration(appId, filter.criteria, now)
        : compileMoments(sql.ref(`d.${filter.column}`), dateIntervals(filter.criteria, now));
    case 'badge':
      return compileIntegers(sql.ref('d.badge'), numberIntervals(filter.criteria));
    case 'development':
      return compileFlag(sql.ref('d.development'), filter.criteria);
    case 'place':
      return compilePlace(filter.criteria, {
        gpsOnly: filter.gpsOnly,
        ofTargets: targets !== undefined,
        judgesFew: options.judgesFew ?? targets === undefined,
      });
    case 'custom_string':
    case 'custom_boolean':
    case 'custom_number':
    case 'custom_date':
      return compileCustom(filter, now, targets);
    case 'event':
      return compileEvent(appId, filter, now);
  }
}

/**
 * Users are few devices each, and only known to `devices`, where an index finds them. When a device was registered
 * changes at every start of its app, and is kept by itself.
 */
function isLookedUp(filter: Filter, { targets }: CompileOptions): boolean {
  if (filter.kind === 'event') return true;
  if (targets === undefined) return false;
  if (filter.kind === 'date') return filter.column === 'registered_at';
  return filter.kind === 'text' && (filter.column === 'user_id' || filter.column === 'user_email');
}

/**
 * The app, so that the planner does not see which. One that is newer than its statistics it would take for a single row
 * in the other table, and then it reads all rows of the app there for every device, instead of the one by its key
 * (docs/decisions/0011-new-apps.md).
 */
export function unseen(appId: string): RawBuilder<string> {
  return sql<string>`(select ${appId}::uuid)`;
}

function compileUser(appId: string, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from devices as owner
    where owner.app_id = ${unseen(appId)} and owner.id = d.id and ${isAnyOf(`owner.${column}`, values)}
  )`;
}

function compileRegistration(
  appId: string,
  criteria: readonly DateCriterion[],
  now: Date,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from device_registrations as known
    where known.app_id = ${unseen(appId)} and known.id = d.id
      and ${compileMoments(sql.ref('known.registered_at'), dateIntervals(criteria, now))}
  )`;
}

/** One value is compared with at half the cost of a list of one. */
function isAnyOf(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  const [only = ''] = values;
  return values.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${only}`
    : sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
}

/** @param found the app's versions that lie in the criteria's ranges, where they were looked up */
function compileVersion(
  column: VersionColumn,
  criteria: readonly VersionCriterion[],
  found: readonly string[] | undefined,
): RawBuilder<SqlBool> {
  const texts = criteria.flatMap((criterion) => (criterion.kind === 'text' ? [criterion.value] : []));
  const hasRanges = texts.length < criteria.length;
  if (!hasRanges || found !== undefined) return isAnyOf(`d.${column}`, [...texts, ...(found ?? [])]);
  return anyOf([
    texts.length > 0 && isAnyOf(`d.${column}`, texts),
    sql<SqlBool>`version_key(${sql.ref(`d.${column}`)}) <@ ${versionRanges(criteria)}`,
  ]);
}

/**
 * What is no UUID is no device's. For one criterion, which most have, a prepared plan is as good as one of its own:
 * Postgres keeps it.
 */
function compileDeviceIds([id = '', ...others]: readonly string[]): RawBuilder<SqlBool> {
  if (others.length === 0) return sql<SqlBool>`d.id = ${isUuid(id) ? id : null}::uuid`;
  return sql<SqlBool>`d.id = any(${[id, ...others].filter(isUuid)}::uuid[])`;
}

/** A device that never had the event has no row: it matches no criterion, not even a count of 0. */
function compileEvent(appId: string, { event, criteria }: EventFilter, now: Date): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (
    select from device_events as e
    where e.app_id = ${unseen(appId)} and e.device_id = d.id and ${compileEventRow(event, criteria, now)}
  )`;
}

/** The same as a condition over the row `e` of `device_events`. */
export function compileEventRow(
  event: string,
  criteria: readonly EventCriterion[],
  now: Date,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`e.name = ${event} and ${compileEventCriteria(sql.ref('e.count'), sql.ref('e.last_happened_at'), criteria, now)}`;
}

/** Over the columns of an event that happened. */
export function compileEventCriteria(
  count: RawBuilder<unknown>,
  lastHappenedAt: RawBuilder<unknown>,
  criteria: readonly EventCriterion[],
  now: Date,
): RawBuilder<SqlBool> {
  const { happened, counts, dates } = byWhatTheySay(criteria);
  return anyOf([
    happened && sql<SqlBool>`true`,
    counts.length > 0 && compileIntegers(count, numberIntervals(counts)),
    dates.length > 0 && compileMoments(lastHappenedAt, dateIntervals(dates, now)),
  ]);
}

/** The criteria of an event: whether it happened at all, how often it did, and when last. */
export function byWhatTheySay(criteria: readonly EventCriterion[]) {
  return {
    happened: criteria.some((criterion) => criterion.kind === 'happened'),
    counts: criteria.filter((criterion) => criterion.kind === 'number' || criterion.kind === 'number_range'),
    dates: criteria.filter((criterion) => criterion.kind === 'date_range'),
  };
}
