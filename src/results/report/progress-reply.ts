/** The progress of a notification at one moment: counters, rate, time left, and what limits it. */
import { z } from 'zod';
import {
  averageSecondsLeft,
  type Counters,
  countersOf,
  countersReply,
} from '../../notifications/counters.ts';
import { count, timeText } from '../../api/reply.ts';
import { type Circumstances, limitCodes, limitOf, type Surroundings } from './speed-limit.ts';
import type { LiveRow } from './live-store.ts';
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
        'Seconds until it ends at this rate, or at the average rate while this one is not known; null while nothing moves, while `per_second` is 0, or while some devices wait for a paused route.',
      ),
    limit: z
      .strictObject({
        code: z.enum(limitCodes),
        sentence: z.string().describe('For people.'),
        until: timeText.nullable().describe('When the limit ends, if that is known.'),
      })
      .meta({ id: 'SpeedLimit' })
      .nullable()
      .describe('What limits the speed; null once it has ended.'),
  })
  .meta({ id: 'NotificationProgress' });

export type Progress = z.output<typeof progressReply>;

/** Facts that are the same for all notifications that are watched in this process. */
export type Moment = Omit<Surroundings, 'gateways'>;

/** @param rate of earlier moments; the counters of this moment are added */
export function progressFrom(
  row: LiveRow,
  { rate, gateways }: { rate: OutcomeRate; gateways: Surroundings['gateways'] },
  moment: Moment,
): Progress {
  const { now } = moment;
  const counters = countersOf(row);
  const done = counters.devices - counters.pending;
  const isHeld = (row.slices?.leased ?? 0) > 0;
  const perSecond = row.state === 'sending' ? rate.add({ atMs: now.getTime(), done }, isHeld) : null;
  const limit = limitOf(circumstancesOf(row, perSecond), { ...moment, gateways });
  const shownPerSecond = perSecond === null ? null : Math.round(perSecond);
  const isMoving = shownPerSecond === null ? limit !== null && MOVES.has(limit.code) : shownPerSecond > 0;
  const endIsKnown = isMoving && limit?.code !== 'route_paused';
  return {
    at: now.toISOString(),
    ...counters,
    per_second: shownPerSecond,
    estimated_seconds_left: endIsKnown ? secondsLeft(counters, perSecond, now) : null,
    limit: limit && { ...limit, until: limit.until?.toISOString() ?? null },
  };
}

/** Limits that slow a notification and do not stop it. */
const MOVES: ReadonlySet<(typeof limitCodes)[number]> = new Set(['gateway_answers', 'google_quota']);

function secondsLeft(counters: Counters, perSecond: number | null, now: Date): number | null {
  if (perSecond === null) return averageSecondsLeft(counters, now);
  return Math.ceil(counters.pending / perSecond);
}

function circumstancesOf(row: LiveRow, perSecond: number | null): Circumstances {
  const { slices, allowance, refilledAt, pausedUntil } = row;
  return {
    state: row.state,
    dueAt: row.due_at,
    perSecond,
    pausedRoutes: row.pausedRoutes,
    nextWaveAt: row.nextWaveAt,
    slices: slices && { ...slices, nextAt: slices.nextAtMs === null ? null : new Date(slices.nextAtMs) },
    pace: allowance === null || refilledAt === null ? null : { allowance, refilledAt, pausedUntil },
  };
}
