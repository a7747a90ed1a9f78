/** Counts rows in the table that answers the filters fastest. */
import { sql } from 'kysely';
import type { Filter } from '../../filters/filter.ts';
import type { Counted, CountQuery, CountStrategy } from '../count-strategy.ts';
import { compileEventRow, compileFilters } from './compile.ts';
import { devicesRow, targetingRow } from './row.ts';
import { countUnreachable, type Matching, someHaveNoToken } from './unreachable.ts';

type EventFilter = Extract<Filter, { kind: 'event' }>;

/** Counts lists with only filters on `registered_at`, from an index of `device_registrations`: a row per device. */
export const countRegistrationRows: CountStrategy = {
  canCount: ({ filters }) =>
    filters.length > 0 &&
    filters.every((filter) => filter.kind === 'date' && filter.column === 'registered_at'),
  async count(query) {
    const { db, appId, filters, now } = query;
    return countMatching(
      query,
      db
        .selectFrom('device_registrations as d')
        .where('d.app_id', '=', appId)
        .where(compileFilters(filters, { row: devicesRow(appId), now })),
    );
  },
};

/**
 * Counts lists with only filters on events. A device has one row per event that it had, so the rows of the first filter that
 * is not negated are counted, without a join with the devices. All rows are read sorted by device.
 */
export const countEventRows: CountStrategy = {
  canCount: ({ filters }) =>
    filters.every((filter) => filter.kind === 'event') && filters.some((filter) => !filter.not),
  async count(query) {
    const { db, appId, filters, now } = query;
    const [first, ...others] = eventsOf(filters);
    if (first === undefined) return undefined;
    const had = db
      .selectFrom('device_events as e')
      .select(['e.app_id', 'e.device_id as id'])
      .where('e.app_id', '=', appId)
      .where(compileEventRow(first.event, first.criteria, now));
    return countMatching(
      query,
      db.selectFrom(had.as('d')).where(compileFilters(others, { row: devicesRow(appId), now })),
    );
  },
};

/** @returns the filters on events, with negated filters last */
function eventsOf(filters: readonly Filter[]): EventFilter[] {
  return filters
    .filter((filter) => filter.kind === 'event')
    .toSorted((left, right) => Number(left.not) - Number(right.not));
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
