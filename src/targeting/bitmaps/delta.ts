/**
 * The delta is the number to add to the count of bits in bitmaps. The bitmaps of targeting rows, events, registrations and
 * push tokens are built separately; the tables `device_*_delta` have the changes since (migrations/0004-count-bitmaps.sql).
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { allOf, compileEventCriteria, compileEventRow } from '../rows/compile.ts';
import { compileMoments } from '../rows/compile-interval.ts';
import { hiddenFromPlanner } from '../rows/conditions.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals } from '../../filters/interval.ts';

/** A filter with its condition on a targeting row `d`. */
interface CompiledFilter {
  filter: Filter;
  condition: RawBuilder<SqlBool>;
}

interface DeltaOptions {
  appId: string;
  now: Date;
  /** Whether those without a push token are counted as well. */
  withUnreachable: boolean;
}

/** A filter on events, registrations or tokens, whose bitmaps are built separately. */
interface SeparateFilter {
  /** Its name in the query. */
  name: string;
  /** The result of its criteria for a selected device: 0 if the filter is negated. */
  wanted: 0 | 1;
  /** A query of the changes of this result, with `id` and `sign`. The sum per device is 1, 0 or -1. */
  changes: RawBuilder<unknown>;
  /** The result for the device `t` now: 1 or 0. */
  held: RawBuilder<number>;
}

/** @returns a query with one row: `devices`, and how many of them have no push token, `unreachable` */
export function compileDelta(
  compiled: readonly CompiledFilter[],
  options: DeltaOptions,
): RawBuilder<unknown> {
  const { appId, withUnreachable } = options;
  const conditions: RawBuilder<SqlBool>[] = [];
  const separate: SeparateFilter[] = [];
  for (const { filter, condition } of compiled) {
    const separateFilter = compileSeparate(filter, `filter_${separate.length + 1}`, options);
    if (separateFilter === undefined) conditions.push(condition);
    else separate.push(separateFilter);
  }
  const matches = allOf(conditions);
  const all =
    separate.length > 0
      ? compileProduct(separate, matches, appId)
      : sql`
        select coalesce(sum(d.sign), 0) as devices
        from device_targets_delta as d
        where d.app_id = ${appId} and ${matches}`;
  if (!withUnreachable) return sql`select every.devices, 0 as unreachable from (${all}) as every`;
  const withoutToken = compileProduct(
    [...separate, lacksToken(`filter_${separate.length + 1}`, appId)],
    matches,
    appId,
  );
  return sql`
    select every.devices, without_token.devices as unreachable
    from (${all}) as every cross join (${withoutToken}) as without_token`;
}

/**
 * For a device, let R be 1 if its targeting row matches, otherwise 0, and let A be the same for the separate filters.
 * The bitmaps hold R × A, each as of its build. If dR and dA are the changes since, the number to add is dR × (A as
 * built) + (R now) × dA. So the query visits devices whose delta rows do not cancel out, and devices for which the
 * result of a filter has changed. A changed result needs no look-up: a sum of 1 means that it was 0 and is now 1.
 * @param matches the condition on a targeting row `d`
 */
function compileProduct(
  separate: readonly SeparateFilter[],
  matches: RawBuilder<SqlBool>,
  appId: string,
): RawBuilder<unknown> {
  const each = (
    write: (one: SeparateFilter, sum: RawBuilder<unknown>) => RawBuilder<unknown>,
    between = sql`, `,
  ) =>
    sql.join(
      separate.map((one) => write(one, sql.ref(one.name))),
      between,
    );
  const and = sql` and `;
  const changes = each(
    ({ name, changes: own }) => sql`select ${name}::text as name, * from (${own}) as c`,
    sql` union all `,
  );
  return sql`
    with rows as materialized (
      select d.id, sum(d.sign) as devices
      from device_targets_delta as d
      where d.app_id = ${appId} and ${matches}
      group by d.id
      having sum(d.sign) <> 0
    ), changes as materialized (
      select id, ${each(({ name }, sum) => sql`coalesce(sum(sign) filter (where name = ${name}), 0) as ${sum}`)}
      from (${changes}) as signed
      group by id
      having ${each(({ name }) => sql`sum(sign) filter (where name = ${name}) <> 0`, sql` or `)}
    )
    select
      coalesce(sum(t.devices * a.built + case when d.id is null then 0 else a.now - a.built end), 0) as devices
    from (
      select id, coalesce(rows.devices, 0) as devices,
        ${each((_one, sum) => sql`coalesce(${sum}, 0) as ${sum}`)}
      from rows full join changes using (id)
    ) as t
    cross join lateral (
      select ${each(({ wanted, held }, sum) => sql`(${sum} <> 0 or (${held}) = ${sql.lit(wanted)})`, and)} as others
      offset 0
    ) as unchanged
    cross join lateral (
      select (others and ${each(({ wanted }, sum) => sql`${sum} <> ${sql.lit(wanted === 1 ? -1 : 1)}`, and)})::integer as now,
        (others and ${each(({ wanted }, sum) => sql`${sum} <> ${sql.lit(wanted === 1 ? 1 : -1)}`, and)})::integer as built
      offset 0
    ) as a
    left join lateral (
      select d.id
      from indexed_device_targets as d
      where a.now <> a.built and d.app_id = ${hiddenFromPlanner(appId)} and d.id = t.id and ${matches}
      offset 0
    ) as d on true`;
}

/** The separate filter for devices without a push token. */
function lacksToken(name: string, appId: string): SeparateFilter {
  return {
    name,
    wanted: 1,
    changes: sql`select s.id, s.sign from device_tokens_delta as s where s.app_id = ${appId}`,
    held: sql`
      select count(*) from devices as u
      where u.app_id = ${hiddenFromPlanner(appId)} and u.id = t.id and u.push_token is null`,
  };
}

/** @returns undefined for a filter on targeting rows */
function compileSeparate(
  filter: Filter,
  name: string,
  { appId, now }: DeltaOptions,
): SeparateFilter | undefined {
  const wanted = filter.not ? 0 : 1;
  if (filter.kind === 'event') {
    const { event, criteria } = filter;
    const held = (when: 'before' | 'after'): RawBuilder<SqlBool> => {
      const [count, last] = [sql.ref(`s.count_${when}`), sql.ref(`s.last_${when}`)];
      return sql`(${count} is not null and ${compileEventCriteria(count, last, criteria, now)})`;
    };
    return {
      name,
      wanted,
      changes: sql`
        select s.device_id as id, ${held('after')}::integer - ${held('before')}::integer as sign
        from device_events_delta as s
        where s.app_id = ${appId} and s.name = ${event} and ${held('after')} <> ${held('before')}`,
      held: sql`
        select count(*) from device_events as e
        where e.app_id = ${hiddenFromPlanner(appId)} and e.device_id = t.id and ${compileEventRow(event, criteria, now)}`,
    };
  }
  if (filter.kind === 'date' && filter.column === 'registered_at') {
    const intervals = dateIntervals(filter.criteria, now);
    const held = (when: 'before' | 'after'): RawBuilder<SqlBool> => {
      const moment = sql.ref(`s.registered_${when}`);
      return sql`(${moment} is not null and ${compileMoments(moment, intervals)})`;
    };
    return {
      name,
      wanted,
      changes: sql`
        select s.id, ${held('after')}::integer - ${held('before')}::integer as sign
        from device_registrations_delta as s
        where s.app_id = ${appId} and ${held('after')} <> ${held('before')}`,
      held: sql`
        select count(*) from device_registrations as r
        where r.app_id = ${hiddenFromPlanner(appId)} and r.id = t.id
          and ${compileMoments(sql.ref('r.registered_at'), intervals)}`,
    };
  }
  return undefined;
}
