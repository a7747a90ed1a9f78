/**
 * The stored settings that decide, besides `deliver_at`, when a push is sent to a device (`notifications.moment`). They
 * are made at creation and complete: workers need nothing else of the request or of the app.
 */
import { z } from 'zod';
import { quietHours } from '../../apps/quiet-hours-of-app.ts';

/** Rules for devices whose moment was past when the notification was created. */
export const pastRules = ['now', 'skip', 'next_day'] as const;

/** Reasons why a device gets nothing because of its moment; stored as the reason of its outcome. */
export const leftOutReasons = ['no_time_zone', 'local_time_past', 'quiet_hours', 'held_too_long'] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

export const momentSchema = z.strictObject({
  /** Set if each device is due at the same time of its own clock. */
  local: z
    .strictObject({
      /** `2026-12-24T09:00:00` */
      time: z.string(),
      /** The zone for devices without one; null: nothing is sent to them. */
      noTimeZone: z.string().nullable(),
      ifPast: z.enum(pastRules),
    })
    .optional(),
  /** Set if nothing is sent to devices in these hours of their own clocks. */
  quiet: quietHours.optional(),
  /**
   * The moment for devices without one of their own, if it was in the future (ISO 8601); null: when the notification is
   * due.
   */
  dueAt: z.string().nullable(),
  /** The devices of a wave are sent to within this time; 0: as fast as possible. */
  spreadMs: z.int(),
});

export type Moment = z.output<typeof momentSchema>;
