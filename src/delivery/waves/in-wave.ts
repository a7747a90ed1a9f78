/** SQL conditions that say which devices are in a wave. */
import { type RawBuilder, sql } from 'kysely';
import type { CutWave, WaveDevices } from './wave.ts';

export interface WaveSelection {
  appId: string;
  wave: CutWave;
  notificationId: string;
  /** All waves of the notification. */
  waves: readonly CutWave[];
  /** The snapshot of the statement that planned the waves. */
  plannedIn: string;
  /** The range of ids that is read, both ends included. */
  firstId: string;
  lastId: string;
}

/**
 * Condition on the device `d`, a row of `devices` or `device_targets`: it is in the wave. The time zone and the quiet hours that
 * it had when the notification was planned count, so each device is in one wave, whatever it changes.
 * @returns undefined if every device is in the wave
 */
export function inWave(selection: WaveSelection): RawBuilder<boolean> | undefined {
  const { waves, wave } = selection;
  const listed = waves.flatMap(({ zones }) => zones);
  const hasOwnHours = waves.some(({ ownHours }) => ownHours.length > 0);
  if (listed.length === 0 && !hasOwnHours) return undefined;
  const byZone = (zone: RawBuilder<unknown>): RawBuilder<boolean> => belongs(wave, listed, zone);
  const changed = beforeChanges(selection);
  // Uncorrelated subqueries: Postgres runs each once and keeps the ids in a hash table.
  if (!hasOwnHours) {
    return sql<boolean>`case when d.id in (select device_id from ${changed} as changed)
      then d.id in (select device_id from ${changed} as changed where ${byZone(sql`changed.time_zone`)})
      else ${byZone(sql`d.time_zone`)} end`;
  }
  const keys = ownKeys(selection);
  const changedKey = sql`quiet_hours_key(changed.time_zone, changed.quiet_hours)`;
  const own = withOwnHours(selection);
  return sql<boolean>`case when d.id in (select device_id from ${changed} as changed)
    then d.id in (
      select device_id from ${changed} as changed
      where case when ${changedKey} in (${keys.ofAll}) then ${changedKey} in (${keys.ofWave})
        else ${byZone(sql`changed.time_zone`)} end
    )
    when d.id in (select id from ${own} as own where key in (${keys.ofAll}))
    then d.id in (select id from ${own} as own where key in (${keys.ofWave}))
    else ${byZone(sql`d.time_zone`)} end`;
}

type InRange = Pick<WaveSelection, 'appId' | 'plannedIn' | 'firstId' | 'lastId'>;

/** The time zone and quiet hours of each device before its first change since the notification was planned. */
function beforeChanges({ appId, plannedIn, firstId, lastId }: InRange): RawBuilder<unknown> {
  return sql`(
    select distinct on (c.device_id) c.device_id, c.time_zone, c.quiet_hours
    from device_moment_changes as c
    where c.app_id = ${appId} and c.device_id >= ${firstId}::uuid and c.device_id <= ${lastId}::uuid
      and not pg_visible_in_snapshot(c.written_in, ${plannedIn}::pg_snapshot)
    order by c.device_id, c.number
  )`;
}

/** The devices that have quiet hours of their own. */
function withOwnHours({ appId, firstId, lastId }: InRange): RawBuilder<unknown> {
  return sql`(
    select w.id, quiet_hours_key(w.time_zone, w.quiet_hours) as key
    from devices as w
    where w.app_id = ${appId} and w.id >= ${firstId}::uuid and w.id <= ${lastId}::uuid and w.quiet_hours is not null
  )`;
}

/**
 * They are read in the statement itself, because there may be thousands: too many to send with each page of devices.
 */
function ownKeys({ appId, notificationId, wave }: Pick<WaveSelection, 'appId' | 'notificationId' | 'wave'>): {
  ofAll: RawBuilder<unknown>;
  ofWave: RawBuilder<unknown>;
} {
  const ofAll = sql`select unnest(own_hours) from notification_waves
    where app_id = ${appId} and notification_id = ${notificationId}`;
  return { ofAll, ofWave: sql`${ofAll} and wave = ${wave.wave}` };
}

function belongs(
  { zones, isRest }: Pick<WaveDevices, 'zones' | 'isRest'>,
  listed: readonly string[],
  zone: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const isListed = sql<boolean>`coalesce(${zone} = any (${zones}::text[]), false)`;
  const isOther = sql<boolean>`coalesce(${zone} <> all (${listed}::text[]), true)`;
  if (!isRest) return isListed;
  return zones.length === 0 ? isOther : sql<boolean>`(${isListed} or ${isOther})`;
}
