/** The progress of a notification at one moment: counters, rate, time left, and what limits it. */
import type { z } from 'zod';
import { type Counters, countersOf, countersReply } from '../../notifications/counters.ts';
import { count, timeText } from '../../api/reply.ts';
import { type limitCodes, limitOf, limitReply, type Surroundings } from './speed-limit.ts';
import type { LiveRow } from './live-store.ts';
import { holdsPushes } from '../../status/trouble.ts';
import type { OutcomeRate } from './outcome-rate.ts';

export const progressReply = countersReply
  .extend({
    at: timeText.describe('When the counters were read.'),
    per_second: count
      .nullable()
      .describe(
        'Outcomes per second, over the last 5 seconds, or longer where they are saved less often; null while it is not known.',
      ),
    estimated_seconds_left: count
      .nullable()
      .describe(
        'Seconds until it ends at this rate; null until the rate has been measured for some seconds, while it is 0, and while a trouble holds some devices.',
      ),
    limit: limitReply,
  })
  .meta({ id: 'NotificationProgress' });

export type Progress = z.output<typeof progressReply>;

/** @param rate of earlier moments; the counters of this moment are added */
export function progressFrom(row: LiveRow, rate: OutcomeRate, around: Surroundings): Progress {
  const { now, troubles } = around;
  const counters = countersOf(row);
  const done = counters.devices - counters.pending;
  const isHeld = (row.slices?.leased ?? 0) > 0;
  const perSecond = row.state === 'sending' ? rate.add({ atMs: now.getTime(), done }, isHeld) : null;
  const limit = limitOf({ ...row, perSecond }, around);
  const isHeldUp = row.pausedRoutes.length > 0 || troubles.some(holdsPushes);
  const endIsKnown = !isHeldUp && limit !== null && MOVES.has(limit.code) && rate.isKnown;
  return {
    at: now.toISOString(),
    ...counters,
    per_second: perSecond === null ? null : Math.round(perSecond),
    estimated_seconds_left: endIsKnown ? secondsLeft(counters, perSecond) : null,
    limit,
  };
}

/** Limits that slow a notification and do not stop it. */
const MOVES: ReadonlySet<(typeof limitCodes)[number]> = new Set([
  'gateway_answers',
  'google_quota',
  'sent_carefully',
]);

function secondsLeft({ pending }: Counters, perSecond: number | null): number | null {
  return perSecond === null || perSecond < 0.5 ? null : Math.ceil(pending / perSecond);
}
