/**
 * What decides when a device is sent to, beyond `deliver_at`: the stored form (`notifications.moment`). It is made at
 * creation and complete: workers need nothing else of the request or of the app.
 */
import { z } from 'zod';
import { quietHours } from '../../apps/quiet-hours.ts';

/** What happens to devices whose moment was past when the notification was created. */
export const pastRules = ['now', 'skip', 'next_day'] as const;

/** Why nothing is sent to a device because of its moment; stored as the reason of its outcome. */
export const leftOutReasons = ['no_time_zone', 'local_time_past', 'quiet_hours', 'held_too_long'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

export const momentSchema = z.strictObject({
  /** Set if each device is due at the same time of its own clock. */
  local: z
    .strictObject({
      /** `2026-12-24T09:00:00` */
      time: z.string(),
      /** The zone for devices without one; null: they are left out. */
      noTimeZone: z.string().nullable(),
      ifPast: z.enum(pastRules),
    })
    .optional(),
  /** Set if devices are not sent to in these hours of their own clocks. */
  quiet: quietHours.optional(),
  /** The moment for devices without one of their own, if it was ahead (ISO 8601); null: when the notification is due. */
  dueAt: z.string().nullable(),
  /** The devices of a wave are sent to within this time; 0: as fast as possible. */
  spreadMs: z.int(),
});

export type Moment = z.output<typeof momentSchema>;
