/** Counts rows, in the table that answers the filters quickest. */
import { sql } from 'kysely';
import type { Filter } from '../../filters/filter.ts';
import type { Counted, CountQuery, CountStrategy } from '../count-strategy.ts';
import { compileEventRow, compileFilters } from './compile.ts';
import { devicesRow, targetingRow } from './row.ts';
import { countUnreachable, type Matching, someHaveNoToken } from './unreachable.ts';

type EventFilter = Extract<Filter, { kind: 'event' }>;

/** Filters on `registered_at` alone: each device has a row in `device_registrations`, and an index answers. */
export const countRegistrationRows: CountStrategy = {
  canCount: ({ filters, part }) =>
    part === 'unreachable' &&
    filters.length > 0 &&
    filters.every((filter) => filter.kind === 'date' && filter.column === 'registered_at'),
  async count(query) {
    const { db, appId, filters, now } = query;
    return countWithUnreachable(
      query,
      db
        .selectFrom('device_registrations as d')
        .where('d.app_id', '=', appId)
        .where(compileFilters(filters, { row: devicesRow(appId), now })),
    );
  },
};

/**
 * Filters on events alone: a device has one row per event that it had, so the rows of the first filter that is not negated
 * are counted, without a join with the devices. All are read in the order of devices.
 */
export const countEventRows: CountStrategy = {
  canCount: ({ filters, part }) =>
    part === 'unreachable' &&
    filters.every((filter) => filter.kind === 'event') &&
    filters.some((filter) => !filter.not),
  async count(query) {
    const { db, appId, filters, now } = query;
    const [first, ...others] = eventsOf(filters);
    if (first === undefined) return undefined;
    const had = db
      .selectFrom('device_events as e')
      .select(['e.app_id', 'e.device_id as id'])
      .where('e.app_id', '=', appId)
      .where(compileEventRow(first.event, first.criteria, now));
    return countWithUnreachable(
      query,
      db.selectFrom(had.as('d')).where(compileFilters(others, { row: devicesRow(appId), now })),
    );
  },
};

/** The negated ones last. */
function eventsOf(filters: readonly Filter[]): EventFilter[] {
  return filters
    .filter((filter) => filter.kind === 'event')
    .toSorted((left, right) => Number(left.not) - Number(right.not));
}

/** Any filters, by the targeting rows. */
export async function countTargetingRows(query: CountQuery): Promise<Counted> {
  const { db, appId, filters, now, columns, part } = query;
  const matching = db
    .selectFrom('device_targets as d')
    .where('d.app_id', '=', appId)
    .where(compileFilters(filters, { row: targetingRow(appId, columns), now }));
  if (part === 'unreachable') return countWithUnreachable(query, matching);
  return matching
    .select((build) => [
      build.fn.countAll<number>().as('devices'),
      build.fn.countAll<number>().filterWhere('d.on_ios', '=', true).as('part'),
    ])
    .executeTakeFirstOrThrow();
}

async function countWithUnreachable({ db, appId }: CountQuery, matching: Matching): Promise<Counted> {
  const { devices, someUnreachable } = await matching
    .select((build) => build.fn.countAll<number>().as('devices'))
    .select(sql<boolean>`${someHaveNoToken(appId)}`.as('someUnreachable'))
    .executeTakeFirstOrThrow();
  return { devices, part: someUnreachable ? await countUnreachable(db, appId, matching, devices) : 0 };
}
