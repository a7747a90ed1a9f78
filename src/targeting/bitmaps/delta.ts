/**
 * What the bitmaps of an app lack by now: the sum that is to be added to their bits. Narrow rows, events and
 * registrations are sealed each at a time of its own, and of each it is known what has changed since (the tables
 * `device_*_delta`).
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileEventCriteria, compileEventRow, compileFilters, unseen } from '../rows/compile.ts';
import { compileMoments } from '../rows/compile-interval.ts';
import type { Targets } from '../rows/column-map.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals } from '../../filters/interval.ts';

interface CompileOptions {
  appId: string;
  now: Date;
  targets: Targets;
  /** Whether to tell of how many devices without a token as well. */
  unreachable: boolean;
}

/** A filter on what is sealed apart from the narrow rows, and a name for it. */
interface Apart {
  name: string;
  /** What its criteria come to for a device that is selected. */
  wanted: 0 | 1;
  /** A query of the changes that they came to something else by: `id`, `sign`. A device's sum is 1, 0 or -1. */
  changes: RawBuilder<unknown>;
  /** What they come to for the device `t` now: 1 or 0. */
  held: RawBuilder<number>;
}

/** @returns a query of one row: how many `devices`, `ios` of them, and `unreachable` of them: 0 where nobody asks */
export function compileChanges(filters: readonly Filter[], options: CompileOptions): RawBuilder<unknown> {
  const rows: Filter[] = [];
  const apart: Apart[] = [];
  for (const filter of filters) {
    const compiled = compileApart(filter, `filter_${apart.length + 1}`, options);
    if (compiled === undefined) rows.push(filter);
    else apart.push(compiled);
  }
  const { appId, unreachable } = options;
  const matches = compileFilters(rows, options);
  const all =
    apart.length > 0
      ? compileTogether(apart, matches, appId)
      : sql`
        select coalesce(sum(d.sign), 0) as devices, coalesce(sum(d.sign) filter (where d.on_ios), 0) as ios
        from device_targets_delta as d
        where d.app_id = ${appId} and ${matches}`;
  if (!unreachable) return sql`select every.*, 0 as unreachable from (${all}) as every`;
  const without = compileTogether(
    [...apart, withoutToken(`filter_${apart.length + 1}`, appId)],
    matches,
    appId,
  );
  return sql`
    select every.*, without.devices as unreachable from (${all}) as every cross join (${without}) as without`;
}

/**
 * Of a device, let R be 1 where its narrow row matches and else 0, and A the same of what is apart. The bitmaps said
 * R × A as both were when they were sealed. With dR and dA for what has changed since, what they lack is
 * dR × A sealed + R now × dA. So those are looked at whose signed rows do not cancel out, or of which a filter now says
 * something else. Such a filter needs no look: a sum of 1 says that it was 0 and is 1.
 * @param matches whether a narrow row `d` does
 */
function compileTogether(
  apart: readonly Apart[],
  matches: RawBuilder<SqlBool>,
  appId: string,
): RawBuilder<unknown> {
  const each = (write: (one: Apart, sum: RawBuilder<unknown>) => RawBuilder<unknown>, between = sql`, `) =>
    sql.join(
      apart.map((one) => write(one, sql.ref(one.name))),
      between,
    );
  const and = sql` and `;
  const changes = each(
    ({ name, changes: own }) => sql`select ${name}::text as name, * from (${own}) as c`,
    sql` union all `,
  );
  return sql`
    with rows as materialized (
      select d.id, sum(d.sign) as devices, coalesce(sum(d.sign) filter (where d.on_ios), 0) as ios
      from device_targets_delta as d
      where d.app_id = ${appId} and ${matches}
      group by d.id
      having sum(d.sign) <> 0 or sum(d.sign) filter (where d.on_ios) <> 0
    ), changes as materialized (
      select id, ${each(({ name }, sum) => sql`coalesce(sum(sign) filter (where name = ${name}), 0) as ${sum}`)}
      from (${changes}) as signed
      group by id
      having ${each(({ name }) => sql`sum(sign) filter (where name = ${name}) <> 0`, sql` or `)}
    )
    select
      coalesce(sum(t.devices * a.sealed + case when d.on_ios is null then 0 else a.now - a.sealed end), 0) as devices,
      coalesce(sum(t.ios * a.sealed + case when d.on_ios then a.now - a.sealed else 0 end), 0) as ios
    from (
      select id, coalesce(rows.devices, 0) as devices, coalesce(rows.ios, 0) as ios,
        ${each((_one, sum) => sql`coalesce(${sum}, 0) as ${sum}`)}
      from rows full join changes using (id)
    ) as t
    cross join lateral (
      select ${each(({ wanted, held }, sum) => sql`(${sum} <> 0 or (${held}) = ${sql.lit(wanted)})`, and)} as others
      offset 0
    ) as unchanged
    cross join lateral (
      select (others and ${each(({ wanted }, sum) => sql`${sum} <> ${sql.lit(wanted === 1 ? -1 : 1)}`, and)})::integer as now,
        (others and ${each(({ wanted }, sum) => sql`${sum} <> ${sql.lit(wanted === 1 ? 1 : -1)}`, and)})::integer as sealed
      offset 0
    ) as a
    left join lateral (
      select d.on_ios
      from only device_targets as d
      where a.now <> a.sealed and d.app_id = ${unseen(appId)} and d.id = t.id and ${matches}
      offset 0
    ) as d on true`;
}

/** Whether a device lacks a token is sealed apart as well, and is to be true beside the filters. */
function withoutToken(name: string, appId: string): Apart {
  return {
    name,
    wanted: 1,
    changes: sql`select s.id, s.sign from device_tokens_delta as s where s.app_id = ${appId}`,
    held: sql`
      select count(*) from devices as u
      where u.app_id = ${unseen(appId)} and u.id = t.id and u.push_token is null`,
  };
}

/** @returns undefined for a filter on narrow rows */
function compileApart(
  filter: Filter,
  name: string,
  { appId, now }: Pick<CompileOptions, 'appId' | 'now'>,
): Apart | undefined {
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
        where e.app_id = ${unseen(appId)} and e.device_id = t.id and ${compileEventRow(event, criteria, now)}`,
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
        where r.app_id = ${unseen(appId)} and r.id = t.id
          and ${compileMoments(sql.ref('r.registered_at'), intervals)}`,
    };
  }
  return undefined;
}
