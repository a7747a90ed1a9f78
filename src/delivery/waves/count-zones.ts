/**
 * Counts the devices of an audience by time zone and by their own quiet hours, in one statement, which also returns its
 * snapshot.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DeviceQuietHours } from '../../db/feature-tables/wave-tables.ts';
import type { Database } from '../../db/tables.ts';
import { timeZones } from '../../time/time-zones.ts';
import type { Filter } from '../../filters/filter.ts';
import { type CountLimits, inCountTransaction } from '../../targeting/count-transaction.ts';
import { compileFilters } from '../../targeting/rows/compile.ts';
import { readColumnMap } from '../../targeting/rows/column-map.ts';
import { devicesRow, targetingRow } from '../../targeting/rows/row.ts';

/** Devices with the same time zone. */
export interface ZoneCount {
  /** Null: no time zone, or one that Node or this Postgres does not know. */
  zone: string | null;
  devices: number;
}

/** Devices with the same time zone and the same quiet hours of their own. The zone's count includes them. */
export interface HoursCount {
  /** Null: no time zone, or one that Node or this Postgres does not know. */
  zone: string | null;
  hours: DeviceQuietHours;
  /** The key of the zone and the hours (`quiet_hours_key`). */
  key: string;
  devices: number;
}

export interface ZoneCounts {
  zones: ZoneCount[];
  /** Empty if no device has quiet hours of its own. */
  ownHours: HoursCount[];
  /** The transactions whose changes were counted, as Postgres writes a `pg_snapshot`. */
  snapshot: string;
}

/** @throws {ApiError} `unavailable` if the count takes too long */
export async function countZones(
  db: Kysely<Database>,
  request: AudienceAt & CountLimits,
): Promise<ZoneCounts> {
  const { appId, filters, now } = request;
  return inCountTransaction(db, request, async (transaction) => {
    const columns = await readColumnMap(transaction, appId, filters);
    // Subqueries that Postgres runs at most once. Most apps have no such device, and then only the row of the app is read.
    const { rows } = await sql<ZoneCount & { snapshot: string; ownHours: HoursCount[] | null }>`
      select case when d.time_zone = any (${[...timeZones]}::text[]) then d.time_zone end as zone,
        count(*) as devices, pg_current_snapshot()::text as snapshot,
        case when (select a.devices_have_quiet_hours from apps as a where a.id = ${appId})
          then (select json_agg(own) from (${ownHoursOf(request)}) as own) end as "ownHours"
      from device_targets as d
      where d.app_id = ${appId} and ${compileFilters(filters, { row: targetingRow(appId, columns), now })}
      group by 1`.execute(transaction);
    const ownHours = rows[0]?.ownHours ?? [];
    const isKnown = await knownZones(transaction, [...rows, ...ownHours]);
    return {
      zones: sumsByZone(withKnown(rows, isKnown)),
      ownHours: withKnown(ownHours, isKnown),
      snapshot: rows[0]?.snapshot ?? '1:1:',
    };
  });
}

export interface AudienceAt {
  appId: string;
  filters: readonly Filter[];
  /** The value of `now` in math-dates. */
  now: Date;
}

/** Counts only the devices that have quiet hours of their own. */
export async function countOwnHours(
  db: Kysely<Database>,
  request: AudienceAt,
): Promise<Pick<ZoneCounts, 'ownHours' | 'snapshot'>> {
  return inCountTransaction(db, {}, async (transaction) => {
    const { rows } = await sql<{ ownHours: HoursCount[]; snapshot: string }>`
      select coalesce(json_agg(own), '[]') as "ownHours", pg_current_snapshot()::text as snapshot
      from (${ownHoursOf(request)}) as own`.execute(transaction);
    const { ownHours, snapshot } = rows[0] ?? { ownHours: [], snapshot: '1:1:' };
    return { ownHours: withKnown(ownHours, await knownZones(transaction, ownHours)), snapshot };
  });
}

/**
 * Keeps the zones that this Postgres knows; Node may know more (`time/zone-links.ts`). A statement of its own, because
 * a function that catches an error keeps Postgres from counting in parallel.
 */
async function knownZones(
  db: Kysely<Database>,
  counts: readonly { zone: string | null }[],
): Promise<ReadonlySet<string>> {
  const named = [...new Set(counts.flatMap(({ zone }) => zone ?? []))].filter((zone) => timeZones.has(zone));
  if (named.length === 0) return new Set();
  const { rows } = await sql<{ zone: string }>`
    select zone from unnest(${named}::text[]) as zone where zone_is_known(zone)`.execute(db);
  return new Set(rows.map(({ zone }) => zone));
}

function withKnown<Counted extends { zone: string | null }>(
  counts: readonly Counted[],
  known: ReadonlySet<string>,
): Counted[] {
  return counts.map((counted) =>
    counted.zone === null || known.has(counted.zone) ? counted : { ...counted, zone: null },
  );
}

function ownHoursOf({ appId, filters, now }: AudienceAt): RawBuilder<unknown> {
  return sql`
    select d.time_zone as zone, d.quiet_hours as hours, quiet_hours_key(d.time_zone, d.quiet_hours) as key, count(*) as devices
    from devices as d
    where d.app_id = ${appId} and d.quiet_hours is not null
      and ${compileFilters(filters, { row: devicesRow(appId), now })}
    group by d.time_zone, d.quiet_hours`;
}

function sumsByZone(counts: readonly ZoneCount[]): ZoneCount[] {
  return [...Map.groupBy(counts, ({ zone }) => zone)].map(([zone, ofZone]) => ({
    zone,
    devices: ofZone.reduce((sum, { devices }) => sum + devices, 0),
  }));
}
