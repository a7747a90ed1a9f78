/**
 * The quiet hours of one device, which its user has chosen. They replace the quiet hours of the app and of a
 * notification.
 */
import { z } from 'zod';
import { differ, DIFFER_RULE, hourFields, weekday, weekdays } from '../apps/quiet-hours-of-app.ts';
import type { DeviceQuietHours } from '../db/wave-tables.ts';

/** The result is in the one stored form: each day once, in the order of the week, and no days if all are meant. */
export const deviceQuietHours = z
  .strictObject(hourFields, 'must be an object: {"from", "to", "days"}')
  .refine(differ, DIFFER_RULE)
  .transform(({ from, to, days: sent = [] }): DeviceQuietHours => {
    const chosen = weekdays.filter((day) => sent.includes(day));
    return { from, to, ...(chosen.length > 0 && chosen.length < weekdays.length && { days: chosen }) };
  })
  .meta({ id: 'DeviceQuietHours' });

export const deviceQuietHoursReply = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    days: z.array(weekday).describe('The days on which they begin; every day if left out.').optional(),
  })
  .meta({ id: 'StoredQuietHours' });
