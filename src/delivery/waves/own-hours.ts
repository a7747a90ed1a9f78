/** Decides for devices with quiet hours of their own when they are due. These hours replace those of the notification. */
import type { Kysely } from 'kysely';
import { daysOf } from '../../apps/quiet-hours-of-app.ts';
import type { Database } from '../../db/tables.ts';
import type { Moment } from '../../notifications/moment/moment.ts';
import type { HoursCount } from './count-zones.ts';
import { quietUntil } from './moments.ts';
import { type Decided, isSameDecision, keepQuiet, type QuietRule } from './make-waves.ts';

/**
 * Devices with hours of their own are due on the quarter of an hour after these end, so they make at most 96 waves a
 * day.
 */
const QUARTER_MS = 15 * 60_000;

export interface OwnHoursRequest {
  moment: Moment | null;
  rule: QuietRule;
  /** Moments before it count as now. */
  now: Date;
  /** A decision per time zone, without regard to quiet hours. */
  decided: readonly Decided[];
  /** The decisions after the quiet hours of the notification were applied, in the same order. */
  quieted: readonly Decided[];
  ownHours: readonly HoursCount[];
}

/**
 * Separates devices whose own hours change when they are due from the other devices of their time zones.
 * @returns the decisions: one per time zone, for its other devices, and one for each set of separated devices
 */
export async function applyOwnHours(
  db: Kysely<Database>,
  { moment, rule, now, decided, quieted, ownHours }: OwnHoursRequest,
): Promise<Decided[]> {
  const positions = new Map(decided.map(({ count }, index) => [count.zone, index]));
  const found = ownHours.flatMap((counted) => {
    // Without zones, all devices are counted together.
    const position = positions.get(counted.zone) ?? (decided.length === 1 ? 0 : undefined);
    const base = position === undefined ? undefined : decided[position];
    return position === undefined || base === undefined ? [] : [{ counted, position, base }];
  });
  const asked = found.map(({ counted: { zone, hours }, base: { dueAt } }) => ({
    at: dueAt > now ? dueAt : now,
    zone: zone ?? zoneWithout(moment),
    hours: { ...hours, days: daysOf(hours) },
  }));
  const ends = (await quietUntil(db, asked)).map((end) => end && nextQuarter(end));
  const ruled = keepQuiet(
    found.map(({ base, counted: { key, devices } }) => ({
      ...base,
      count: { zone: base.count.zone, devices },
      ownKey: key,
    })),
    ends,
    rule,
  );
  const left = [...quieted];
  const moved: Decided[] = [];
  for (const [index, { position }] of found.entries()) {
    const [own, common] = [ruled[index], left[position]];
    if (own === undefined || common === undefined || isSameDecision(own, common)) continue;
    moved.push(own);
    const devices = Math.max(0, common.count.devices - own.count.devices);
    left[position] = { ...common, count: { ...common.count, devices } };
  }
  return [...left, ...moved];
}

/** The clock that counts for devices without a known time zone; null: their own hours cannot be applied. */
function zoneWithout(moment: Moment | null): string | null {
  const ofHours = moment?.quiet?.no_time_zone ?? 'ignore';
  return ofHours === 'ignore' ? (moment?.local?.noTimeZone ?? null) : ofHours;
}

function nextQuarter(end: Date): Date {
  return new Date(Math.ceil(end.getTime() / QUARTER_MS) * QUARTER_MS);
}
