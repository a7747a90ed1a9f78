/** Whose quiet hours decide when a device gets a notification, whether they hold it, and when it may expect it. */
import type { Kysely } from 'kysely';
import { daysOf } from '../../apps/quiet-hours-of-app.ts';
import type { Database } from '../../db/tables.ts';
import type { DeviceQuietHours } from '../../db/feature-tables/wave-tables.ts';
import type { NotificationContent } from '../../notifications/message.ts';
import type { Moment } from '../../notifications/moment/moment.ts';
import { DAYS, decideMoments, LAST_RESORT } from './make-waves.ts';
import { type HoursOfWeek, momentsOf, quietUntil } from './moments.ts';
import type { Wave } from './wave.ts';

export interface HoursOfPush extends HoursOfWeek {
  /** Those of a device replace those of the notification, which replace those of the app. */
  of: 'device' | 'notification' | 'app';
}

/** @param ofDevice those of the device now. @returns undefined if there are none */
export function quietHoursOf(
  ofDevice: DeviceQuietHours | null,
  moment: Moment | null,
  { quiet_hours: sent }: Pick<NotificationContent, 'quiet_hours'>,
): HoursOfPush | undefined {
  if (ofDevice !== null && sent !== 'ignore_all') return { of: 'device', ...withDays(ofDevice) };
  if (moment?.quiet === undefined) return undefined;
  return { of: sent === undefined ? 'app' : 'notification', ...withDays(moment.quiet) };
}

function withDays(hours: DeviceQuietHours): HoursOfWeek {
  return { from: hours.from, to: hours.to, days: daysOf(hours) };
}

/** A notification that has not been sent to the device, and what it is decided by. */
interface Waiting {
  moment: Moment | null;
  createdAt: Date;
  dueAt: Date;
  /** Of the device. */
  timeZone: string | null;
}

/** Whether quiet hours have moved the wave: it is due at another moment than its devices would be without them. */
export async function isHeld(
  db: Kysely<Database>,
  { dueAt, action }: Pick<Wave, 'dueAt' | 'action'>,
  waiting: Waiting,
): Promise<boolean> {
  if (action !== 'send') return false;
  const { moment, createdAt } = waiting;
  const local = await localMoments(db, waiting);
  const without = local === undefined ? [momentOfAll(waiting)] : [createdAt, ...[...local.values()].flat()];
  return moment === null || without.every((at) => at.getTime() !== dueAt.getTime());
}

/**
 * When the device would get a notification that is not planned yet, if nothing changes.
 * @returns the moment, and whether quiet hours move it there; undefined if nothing would be sent to it
 */
export async function expectedMoment(
  db: Kysely<Database>,
  applied: HoursOfPush | undefined,
  waiting: Waiting,
): Promise<{ at: Date; isHeld: boolean } | undefined> {
  const { moment, createdAt, timeZone } = waiting;
  const dueAt = momentOfAll(waiting);
  const zones = [{ zone: timeZone, devices: 1 }];
  const momentsByZone = (await localMoments(db, waiting)) ?? new Map<string, Date[]>();
  const [decided] = moment === null ? [] : decideMoments({ moment, createdAt, dueAt, zones, momentsByZone });
  if (decided?.action === 'drop') return undefined;
  const at = decided?.dueAt ?? dueAt;
  if (applied === undefined) return { at, isHeld: false };
  const substitute = moment?.quiet?.no_time_zone ?? 'ignore';
  const zone = timeZone ?? (substitute === 'ignore' ? null : substitute);
  const [end = null] = await quietUntil(db, [{ at, zone, hours: applied }]);
  if (end === null) return { at, isHeld: false };
  return moment?.quiet?.action === 'drop' ? undefined : { at: end, isHeld: true };
}

function momentOfAll({ moment, dueAt }: Waiting): Date {
  return moment === null || moment.dueAt === null ? dueAt : new Date(moment.dueAt);
}

/** @returns undefined if the clocks of devices do not matter */
async function localMoments(
  db: Kysely<Database>,
  { moment, timeZone }: Waiting,
): Promise<Map<string, Date[]> | undefined> {
  if (moment?.local === undefined) return undefined;
  const { time, noTimeZone } = moment.local;
  return momentsOf(
    db,
    time,
    [timeZone, noTimeZone, LAST_RESORT].flatMap((zone) => zone ?? []),
    DAYS,
  );
}
