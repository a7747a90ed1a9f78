/**
 * Quiet hours: hours of a device's clock in which nothing is sent to it. An app has them for all its notifications; a
 * notification may have its own, or ignore them. Those of a single device are in `devices/device-schema.ts`.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Author } from '../audit/author.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { durationMs, DURATION_RULE, durationShape } from '../time/duration.ts';
import { TIME_ZONE, timeZoneNamed, timeZoneRule } from '../time/time-zones.ts';
import { changeApp } from './change-app.ts';

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const TIME_RULE = 'must be a time such as "22:00"';
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
const DAYS_RULE = `must be a list of one or more of ${weekdays.join(', ')}`;
const RELEASE_MS_MAX = 24 * 60 * 60_000;
const RELEASE_RULE = `${DURATION_RULE}, from PT1S to P1D`;

const time = z.string(TIME_RULE).regex(TIME, TIME_RULE);

export const weekday = z.enum(weekdays, DAYS_RULE).meta({ id: 'Weekday' });

export const hourFields = {
  from: time.describe('When they begin on the clock of the device: `22:00`.'),
  to: time.describe('When they end; on the next day if it is before `from`.'),
  days: z
    .array(weekday, DAYS_RULE)
    .min(1, DAYS_RULE)
    .describe('The days on which they begin; every day if left out.')
    .exactOptional(),
};

export const differ = ({ from, to }: { from: string; to: string }): boolean => from !== to;
export const DIFFER_RULE = { path: ['to'], message: 'must differ from `from`' };

/** Quiet hours in requests and replies. */
export const quietHours = z
  .strictObject(
    {
      ...hourFields,
      no_time_zone: z
        .string('is required: the IANA name of a time zone, or "ignore"')
        .superRefine((zone, context) => {
          if (zone !== 'ignore' && timeZoneNamed(zone) === undefined) {
            context.addIssue(`${timeZoneRule(zone)}; or "ignore"`);
          }
        })
        .meta({
          pattern: TIME_ZONE.source,
          description:
            'For devices without a known time zone: the zone to use, or `ignore`, which sends to them at any hour.',
        }),
      action: z
        .enum(['hold', 'drop'], 'must be hold or drop')
        .describe('`hold`, the default, sends when they end. `drop` sends nothing to these devices.')
        .exactOptional(),
      release_over: z
        .string(RELEASE_RULE)
        .refine((text) => {
          const ms = durationMs(text);
          return ms !== undefined && ms >= 1_000 && ms <= RELEASE_MS_MAX;
        }, RELEASE_RULE)
        .meta({
          ...durationShape,
          description: 'Held devices are sent to evenly within this time, an ISO 8601 duration (`PT15M`).',
        })
        .exactOptional(),
    },
    'must be an object: {"from", "to", "no_time_zone", …}',
  )
  .refine(differ, DIFFER_RULE)
  .meta({ id: 'QuietHoursRule' });

export type QuietHours = z.output<typeof quietHours>;

/** The days on which they begin, as Postgres numbers them: 1 is Monday. */
export function daysOf({
  days: chosen = weekdays,
}: {
  days?: readonly (typeof weekdays)[number][];
}): number[] {
  return chosen.map((day) => weekdays.indexOf(day) + 1);
}

/** The value of `apps.quiet_hours`. */
export function storedQuietHours(stored: unknown): QuietHours | null {
  return stored === null ? null : quietHours.parse(stored);
}

/** @param hours null removes them. Existing notifications keep theirs */
export async function setQuietHours(
  db: Kysely<Database>,
  appId: string,
  hours: QuietHours | null,
  clock: Clock,
  author: Author,
): Promise<void> {
  const set = { quiet_hours: hours === null ? null : JSON.stringify(hours) };
  const change = { action: 'app.quiet_hours_set', columns: ['quiet_hours'], set } as const;
  await changeApp(db, appId, change, clock, author);
}

export async function readQuietHours(db: Kysely<Database>, appId: string): Promise<QuietHours | null> {
  const row = await db.selectFrom('apps').select('quiet_hours').where('id', '=', appId).executeTakeFirst();
  return storedQuietHours(row?.quiet_hours ?? null);
}
