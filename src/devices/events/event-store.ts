/** The statements on `device_events`. */
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, DeviceEventsTable } from '../../db/tables.ts';
import { anyOf } from '../store.ts';

/** The events of one name in one call. */
export interface EventTally {
  name: string;
  count: number;
  firstHappenedAt: Date;
  lastHappenedAt: Date;
}

/**
 * Adds the tallies to each device. Rows are written in a fixed order, so that two calls on the same rows do not
 * deadlock.
 * @param tallies one per name: a statement cannot update a row twice
 */
export async function addEventTallies(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
  tallies: readonly EventTally[],
): Promise<void> {
  const names = tallies.map((tally) => tally.name);
  const counts = tallies.map((tally) => tally.count);
  const firsts = tallies.map((tally) => tally.firstHappenedAt);
  const lasts = tallies.map((tally) => tally.lastHappenedAt);
  await sql`
    insert into device_events as known (app_id, device_id, name, count, first_happened_at, last_happened_at)
    select ${appId}::uuid, device.id, event.name, event.count, event.first_at, event.last_at
    from unnest(${deviceIds}::uuid[]) as device (id),
      unnest(${names}::text[], ${counts}::bigint[], ${firsts}::timestamptz[], ${lasts}::timestamptz[])
        as event (name, count, first_at, last_at)
    order by device.id, event.name
    on conflict (app_id, device_id, name) do update set
      count = known.count + excluded.count,
      first_happened_at = least(known.first_happened_at, excluded.first_happened_at),
      last_happened_at = greatest(known.last_happened_at, excluded.last_happened_at)`.execute(db);
}

/** Whether one of the devices has more than `namesMax` event names. */
export async function haveMoreEventNames(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
  namesMax: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('device_events')
    .select('device_id')
    .where('app_id', '=', appId)
    .where('device_id', '=', anyOf(deviceIds))
    .groupBy('device_id')
    .having((eb) => eb(eb.fn.countAll(), '>', namesMax))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Sorted by device and name. */
export function readEventRows(
  db: Kysely<Database>,
  appId: string,
  deviceIds: readonly string[],
): Promise<Selectable<DeviceEventsTable>[]> {
  return db
    .selectFrom('device_events')
    .selectAll()
    .where('app_id', '=', appId)
    .where('device_id', '=', anyOf(deviceIds))
    .orderBy('device_id')
    .orderBy('name')
    .execute();
}
