/** Plans the waves of a notification: counts its audience by time zone and asks the database for the moment of each. */
import type { Kysely } from 'kysely';
import { daysOf } from '../../apps/quiet-hours-of-app.ts';
import type { Database } from '../../db/tables.ts';
import { durationMs } from '../../time/duration.ts';
import type { Filter } from '../../filters/filter.ts';
import type { Moment } from '../../notifications/moment/moment.ts';
import type { CountLimits } from '../../targeting/count-transaction.ts';
import { countOwnHours, countZones } from './count-zones.ts';
import { momentsOf, quietUntil } from './moments.ts';
import { applyOwnHours } from './own-hours.ts';
import type { CutWave } from './wave.ts';
import {
  DAYS,
  type Decided,
  decideMoments,
  keepQuiet,
  LAST_RESORT,
  type QuietRule,
  wavesOf,
} from './make-waves.ts';

export interface WavesToPlan extends CountLimits {
  appId: string;
  filters: readonly Filter[];
  moment: Moment;
  timeToLiveSeconds: number;
  /** Whether the quiet hours that users chose on their devices do not count. */
  ignoresOwnHours: boolean;
  createdAt: Date;
  dueAt: Date;
  /** The value of `now` in math-dates. */
  now: Date;
}

export interface PlannedWaves {
  waves: CutWave[];
  devices: number;
  /** The snapshot of the count (`notifications.planned_in`). */
  snapshot: string;
}

/** @throws {ApiError} `unavailable` if the count takes too long */
export async function planWaves(db: Kysely<Database>, request: WavesToPlan): Promise<PlannedWaves> {
  const { moment, createdAt, now } = request;
  const dueAt = moment.dueAt === null ? request.dueAt : new Date(moment.dueAt);
  const { zones, ownHours, snapshot } = await countZones(db, request);
  const { local } = moment;
  const named = new Set([LAST_RESORT, ...zones.flatMap(({ zone }) => zone ?? [])]);
  if (typeof local?.noTimeZone === 'string') named.add(local.noTimeZone);
  const momentsByZone =
    local === undefined ? new Map<string, Date[]>() : await momentsOf(db, local.time, [...named], DAYS);
  const decided = decideMoments({ moment, createdAt, dueAt, zones, momentsByZone });
  const rule = ruleOf(request);
  const quieted = await applyQuietHours(db, { moment, now, rule, decided });
  const all =
    request.ignoresOwnHours || ownHours.length === 0
      ? quieted
      : await applyOwnHours(db, { moment, now, rule, decided, quieted, ownHours });
  const devices = zones.reduce((sum, zone) => sum + zone.devices, 0);
  return {
    waves: wavesOf(all, (local ?? moment.quiet) !== undefined),
    devices,
    snapshot,
  };
}

/**
 * Plans the waves of a notification that says nothing about its moment, in an app whose devices may have quiet hours of their
 * own. Only those devices are counted.
 * @param devices of the audience
 * @returns undefined if none of these devices is in its quiet hours
 */
export async function planOwnHours(
  db: Kysely<Database>,
  request: Omit<WavesToPlan, 'moment' | 'createdAt' | 'ignoresOwnHours'>,
  devices: number,
): Promise<Pick<PlannedWaves, 'waves' | 'snapshot'> | undefined> {
  const { dueAt, now } = request;
  const { ownHours, snapshot } = await countOwnHours(db, request);
  const all: Decided = {
    count: { zone: null, devices },
    listed: undefined,
    dueAt,
    action: 'send',
    reason: null,
    spreadMs: 0,
  };
  const rule = ruleOf({ ...request, moment: null });
  const before = { decided: [all], quieted: [all] };
  const decided = await applyOwnHours(db, { moment: null, now, rule, ...before, ownHours });
  return decided.length === 1 ? undefined : { waves: wavesOf(decided, false), snapshot };
}

function ruleOf({
  moment,
  timeToLiveSeconds,
}: {
  moment: Moment | null;
  timeToLiveSeconds: number;
}): QuietRule {
  const { action, release_over: release } = moment?.quiet ?? {};
  const releaseMs = release === undefined ? 0 : (durationMs(release) ?? 0);
  return { action: action ?? 'hold', releaseMs, timeToLiveMs: timeToLiveSeconds * 1_000 };
}

/** Applies the quiet hours of the notification. A moment that is past, because no worker was running, counts as now. */
async function applyQuietHours(
  db: Kysely<Database>,
  {
    moment: { quiet },
    now,
    rule,
    decided,
  }: { moment: Moment; now: Date; rule: QuietRule; decided: readonly Decided[] },
): Promise<readonly Decided[]> {
  if (quiet === undefined) return decided;
  const { from, to, no_time_zone: noTimeZone } = quiet;
  const hours = { from, to, days: daysOf(quiet) };
  const asked = decided.map(({ listed, dueAt }) => ({
    at: dueAt > now ? dueAt : now,
    zone: listed ?? (noTimeZone === 'ignore' ? null : noTimeZone),
    hours,
  }));
  return keepQuiet(decided, await quietUntil(db, asked), rule);
}
