/** The numbers of an app by day, its devices by kind, and what needs attention. Reads what the jobs of this room have counted. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { wholeNumber } from '../../api/page-cursor.ts';
import { count, timeText } from '../../api/reply.ts';
import type { Trouble } from '../../status/trouble.ts';
import { attentionReply, attentionTo } from './attention.ts';
import { add, DAY_MS, dayIn, isTimeZone, lastDays, NOTHING, sumByDay } from './days.ts';
import { devicesByKind, readDevices } from './devices-store.ts';
import { readHours } from './hours-store.ts';

const DAYS_MAX = 90;
const DAYS_DEFAULT = 30;
const ZONE_RULE = 'must be the name of a time zone, such as Europe/Paris';

export const overviewQuery = z.object({
  days: wholeNumber(DAYS_MAX, 'Number of days, including today.').default(DAYS_DEFAULT),
  time_zone: z
    .string(ZONE_RULE)
    .refine(isTimeZone, ZONE_RULE)
    .describe('The time zone of the days: its name in the IANA database.')
    .default('UTC'),
});

const dayText = z.iso.date();

const dayReply = z
  .strictObject({
    day: dayText,
    notifications: count.describe('Notifications that ended on that day. Dry runs do not count.'),
    devices: count.describe('The devices of these notifications: the sum of the five counters below.'),
    accepted: count,
    rejected: count,
    unregistered: count.describe('Pushes for dead push tokens, which were retired.'),
    no_token: count,
    ambiguous: count,
    opens: count.describe('Opens that were reported on that day, of any notification.'),
    app_devices: count.nullable().describe('Devices of the app at the last count of that day in UTC.'),
  })
  .meta({ id: 'OverviewDay' });

const devicesReply = z
  .strictObject({
    counted_at: timeText,
    total: count,
    reachable: count.describe('Devices that have a push token.'),
    active: count.describe('Devices that have registered within the last 30 days.'),
    by_platform: devicesByKind.shape.platforms,
    by_system: devicesByKind.shape.systems.describe(
      'The 20 with the most devices on each platform, largest first.',
    ),
    by_app_version: devicesByKind.shape.app_versions.describe(
      'The 20 with the most devices on each platform, largest first.',
    ),
  })
  .meta({ id: 'OverviewDevices' });

export const overviewReply = z
  .strictObject({
    overview: z
      .strictObject({
        days_counted_at: timeText
          .nullable()
          .describe('The time up to which all hours are counted; null before the first count.'),
        days: z.array(dayReply).describe('Oldest first; the last one is today.'),
        devices: devicesReply.nullable().describe('Null before the first count.'),
        attention: z
          .array(attentionReply.meta({ id: 'Attention' }))
          .describe('Problems that somebody should look at; empty if there are none.'),
      })
      .meta({ id: 'OverviewNumbers' }),
  })
  .meta({ id: 'Overview' });
type Overview = z.output<typeof overviewReply>;

/**
 * Its cost does not grow with the numbers of devices and notifications.
 * @param of `troubles` are those of the server and of the app
 */
export async function readOverview(
  { db, clock }: { db: Kysely<Database>; clock: Clock },
  { appId, troubles }: { appId: string; troubles: readonly Trouble[] },
  { days, time_zone: timeZone }: z.output<typeof overviewQuery>,
): Promise<Overview> {
  const now = clock();
  const dayOf = dayIn(timeZone);
  const wanted = lastDays(dayOf(now), days);
  // Days of any zone begin at most 14 hours before the day in UTC.
  const since = new Date(now.getTime() - (days + 1) * DAY_MS);
  const [{ hours, until }, { last, days: ofDevices }] = await Promise.all([
    readHours(db, appId, since),
    readDevices(db, appId, wanted[0] ?? ''),
  ]);
  const yesterday = new Date(now.getTime() - DAY_MS);
  const lastDay = hours.filter(({ hour }) => hour >= yesterday).reduce(add, NOTHING);
  const sums = sumByDay(hours, dayOf);
  const devicesOf = new Map(ofDevices.map(({ day, devices }) => [day, devices]));
  const dayJson = (day: string): z.output<typeof dayReply> => ({
    day,
    ...(sums.get(day) ?? NOTHING),
    app_devices: devicesOf.get(day) ?? null,
  });
  return {
    overview: {
      days_counted_at: until?.toISOString() ?? null,
      days: wanted.map(dayJson),
      devices: last && {
        counted_at: last.counted_at.toISOString(),
        total: last.devices,
        reachable: Math.max(0, last.devices - last.unreachable),
        active: last.active,
        by_platform: last.byKind.platforms,
        by_system: last.byKind.systems,
        by_app_version: last.byKind.app_versions,
      },
      attention: attentionTo(troubles, lastDay),
    },
  };
}
