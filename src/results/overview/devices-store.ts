/** The statements on `daily_devices`. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { stringifyJson } from '../../json/lossless.ts';
import { platforms } from '../../route.ts';
import { inCountTransaction } from '../../targeting/count-transaction.ts';

/** How many systems and versions are stored, per platform: those with the most devices. The rest is the total less these. */
const LARGEST_MAX = 20;

const platform = z.enum(platforms);
const count = z.int();
/** The form of `daily_devices.groups`. */
export const devicesByKind = z.strictObject({
  platforms: z.array(z.strictObject({ platform, devices: count }).meta({ id: 'DevicesOfPlatform' })),
  systems: z.array(
    z
      .strictObject({
        platform,
        os_name: z.string().nullable(),
        os_version: z.string().nullable(),
        devices: count,
      })
      .meta({ id: 'DevicesOfSystem' }),
  ),
  app_versions: z.array(
    z
      .strictObject({ platform, app_version: z.string().nullable(), devices: count })
      .meta({ id: 'DevicesOfVersion' }),
  ),
});
type DevicesByKind = z.output<typeof devicesByKind>;

/** @returns the apps whose last count is old enough for another one, oldest count first */
export async function findDueApps(
  db: Kysely<Database>,
  { now, everyMs, rest }: { now: Date; everyMs: number; rest: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id
    from apps as a
    left join lateral (
      select counted_at, took_ms from daily_devices as d where d.app_id = a.id order by day desc limit 1
    ) as last on true
    where last.counted_at is null
      or last.counted_at + greatest(${everyMs}::float8, ${rest}::float8 * took_ms) * interval '1 millisecond' <= ${now}
    order by last.counted_at nulls first`.execute(db);
  return rows.map(({ id }) => id);
}

interface CountedDevices {
  devices: number;
  unreachable: number;
  active: number;
  byKind: DevicesByKind;
}

interface CountRow {
  kind: number;
  /** Null: browsers. */
  on_ios: boolean | null;
  os_name: string | null;
  os_version: string | null;
  app_version: string | null;
  devices: number;
}

/** Bits of `grouping(os_version, app_version)`: a column that a set does not group by. */
const BY_PLATFORM = 3;
const BY_SYSTEM = 1;

/**
 * Reads all targeting rows of the app once, with one processor.
 * @param db a pool: the count is canceled on another connection
 * @param options.stop cancels the count
 * @throws {ApiError} `unavailable` if it takes too long, or is canceled
 */
export async function countDevicesByKind(
  db: Kysely<Database>,
  { appId, activeSince, stop }: { appId: string; activeSince: Date; stop: AbortSignal },
): Promise<CountedDevices> {
  return inCountTransaction(db, { inBackground: true, signal: stop }, async (transaction) => {
    const { rows } = await sql<CountRow>`
      with grouped as (
        select grouping(os_version, app_version) as kind, on_ios, os_name, os_version, app_version, count(*) as devices
        from device_targets
        where app_id = ${appId}
        group by grouping sets ((on_ios), (on_ios, os_name, os_version), (on_ios, app_version))
      ), ranked as (
        select *, row_number() over (partition by kind, on_ios order by devices desc, os_version, app_version) as rank
        from grouped
      )
      select kind, on_ios, os_name, os_version, app_version, devices
      from ranked where rank <= ${LARGEST_MAX}
      order by devices desc, os_version, app_version`.execute(transaction);
    const { rows: sums } = await sql<{ unreachable: number; active: number }>`
      select
        (select count(*) from devices where app_id = ${appId} and push_token is null) as unreachable,
        (select count(*) from device_registrations
          where app_id = ${appId} and registered_at >= ${activeSince}) as active`.execute(transaction);
    const byKind = byKindOf(rows);
    return {
      devices: byKind.platforms.reduce((sum, one) => sum + one.devices, 0),
      unreachable: sums[0]?.unreachable ?? 0,
      active: sums[0]?.active ?? 0,
      byKind,
    };
  });
}

function byKindOf(rows: readonly CountRow[]): DevicesByKind {
  const found: DevicesByKind = { platforms: [], systems: [], app_versions: [] };
  for (const { kind, on_ios, os_name, os_version, app_version, devices: number } of rows) {
    const system = on_ios === true ? ('iOS' as const) : ('Android' as const);
    const common = { platform: on_ios === null ? ('Web' as const) : system, devices: number };
    if (kind === BY_PLATFORM) found.platforms.push(common);
    else if (kind === BY_SYSTEM) found.systems.push({ ...common, os_name, os_version });
    else found.app_versions.push({ ...common, app_version });
  }
  return found;
}

/** Those of earlier days by kind are removed: they may hold values of devices that were erased since. */
export async function saveDevices(
  db: Kysely<Database>,
  appId: string,
  { devices, unreachable, active, byKind }: CountedDevices,
  { countedAt, tookMs }: { countedAt: Date; tookMs: number },
): Promise<void> {
  const day = countedAt.toISOString().slice(0, 10);
  await sql`
    with earlier as (
      update daily_devices set groups = null
      where app_id = ${appId} and day < ${day}::date and groups is not null
    )
    insert into daily_devices
    values (${appId}, ${day}, ${countedAt}, ${tookMs}, ${devices}, ${unreachable}, ${active}, ${stringifyJson(byKind)})
    on conflict (app_id, day) do update set
      counted_at = excluded.counted_at, took_ms = excluded.took_ms, devices = excluded.devices,
      unreachable = excluded.unreachable, active = excluded.active, groups = excluded.groups`.execute(db);
}

/**
 * @returns the last count, and the number of devices on each day in UTC (`2026-11-24`) since `sinceDay`,
 *   oldest first
 */
export async function readDevices(db: Kysely<Database>, appId: string, sinceDay: string) {
  const last = await db
    .selectFrom('daily_devices')
    .select(['devices', 'unreachable', 'active', 'groups', 'counted_at'])
    .where('app_id', '=', appId)
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { rows: days } = await sql<{ day: string; devices: number }>`
    select day::text as day, devices from daily_devices
    where app_id = ${appId} and day >= ${sinceDay}::date order by daily_devices.day`.execute(db);
  return { last: last ? { ...last, byKind: devicesByKind.parse(last.groups) } : null, days };
}
