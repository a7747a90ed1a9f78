/** Counts rows in the table that answers the filters fastest. */
import { type Kysely, sql } from 'kysely';
import type { Filter } from '../../filters/filter.ts';
import type { Database } from '../../db/tables.ts';
import type { ColumnMap } from './column-map.ts';
import { compileEventRow, compileFilters } from './compile.ts';
import { devicesRow, targetingRow } from './row.ts';
import { countUnreachable, type Matching, someHaveNoToken } from './unreachable.ts';

export interface CountQuery {
  /** A transaction: everything is read from one snapshot. */
  db: Kysely<Database>;
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
  /** Read once for these filters, in the same transaction. */
  columns: ColumnMap;
  /** Whether those without a push token are counted as well. */
  withUnreachable: boolean;
}

export interface Counted {
  devices: number;
  /** How many of them have no push token; 0 if nobody asked. */
  unreachable: number;
}

/**
 * Counts lists with only filters on `registered_at`, from an index of `device_registrations`: a row per device.
 * @returns undefined for other lists
 */
export async function countRegistrationRows(query: CountQuery): Promise<Counted | undefined> {
  const { db, appId, filters, now } = query;
  const isOnlyTime = filters.every((filter) => filter.kind === 'date' && filter.column === 'registered_at');
  if (filters.length === 0 || !isOnlyTime) return undefined;
  const matching = db
    .selectFrom('device_registrations as d')
    .where('d.app_id', '=', appId)
    .where(compileFilters(filters, { row: devicesRow(appId), now }));
  return countMatching(query, matching);
}

/**
 * Counts lists with only filters on events. A device has one row per event that it had, so the rows of the first filter that
 * is not negated are counted, without a join with the devices. All rows are read sorted by device.
 * @returns undefined for other lists
 */
export async function countEventRows(query: CountQuery): Promise<Counted | undefined> {
  const { db, appId, filters, now } = query;
  const events = filters.filter((filter) => filter.kind === 'event');
  const [first, ...others] = events.toSorted((left, right) => Number(left.not) - Number(right.not));
  if (events.length < filters.length || first === undefined || first.not) return undefined;
  const had = db
    .selectFrom('device_events as e')
    .select(['e.app_id', 'e.device_id as id'])
    .where('e.app_id', '=', appId)
    .where(compileEventRow(first.event, first.criteria, now));
  const matching = db.selectFrom(had.as('d')).where(compileFilters(others, { row: devicesRow(appId), now }));
  return countMatching(query, matching);
}

/** Counts any list of filters by the targeting rows. */
export async function countTargetingRows(query: CountQuery): Promise<Counted> {
  const { db, appId, filters, now, columns } = query;
  const matching = db
    .selectFrom('device_targets as d')
    .where('d.app_id', '=', appId)
    .where(compileFilters(filters, { row: targetingRow(appId, columns), now }));
  return countMatching(query, matching);
}

async function countMatching(
  { db, appId, withUnreachable }: CountQuery,
  matching: Matching,
): Promise<Counted> {
  const { devices, someUnreachable } = await matching
    .select((build) => build.fn.countAll<number>().as('devices'))
    .select(sql<boolean>`${withUnreachable ? someHaveNoToken(appId) : sql`false`}`.as('someUnreachable'))
    .executeTakeFirstOrThrow();
  return { devices, unreachable: someUnreachable ? await countUnreachable(db, appId, matching, devices) : 0 };
}
