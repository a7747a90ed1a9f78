/** Makes the waves of a notification from the devices in each time zone. Pure: the moments are handed in. */
import type { Moment } from '../../notifications/moment/moment.ts';
import { SLICE_DEVICES } from '../start/id-ranges.ts';
import type { ZoneCount } from './count-zones.ts';
import type { CutWave, Wave } from './wave.ts';

/** How many days `next_day` searches. Time zones span 26 hours, so tomorrow may already be over. */
export const DAYS = 3;

/** The zone for devices without one, if the database does not know the requested one. */
export const LAST_RESORT = 'UTC';

/**
 * The most devices that a slice reads. It reads the devices of all waves in its range, and drops those of other waves.
 */
const SLICE_READS = 50_000;
/** A spread wave with enough devices begins a slice this often: as often as the sweep looks for waves. */
const SPREAD_STEP_MS = 1_000;
/** A wave that is spread over more than six minutes has as many slices, unless it has more of them anyway. */
const SPREAD_STEPS_MAX = 360;

const EMPTY = { zones: [], isRest: false, ownHours: [], devices: 0, withoutZone: 0, byOwnHours: 0 };

type Decision = Pick<Wave, 'dueAt' | 'action' | 'reason' | 'spreadMs'>;

/** When, and whether, the devices in a time zone are sent to. */
export interface Decided extends Decision {
  count: ZoneCount;
  /** Its time zone, if the wave lists it; otherwise its devices belong to the rest. */
  listed: string | undefined;
  /** Set for devices whose own quiet hours make them due at another moment (`quiet_hours_key`). */
  ownKey?: string;
}

/** The rule for devices whose moment is in their quiet hours. */
export interface QuietRule {
  action: 'hold' | 'drop';
  releaseMs: number;
  /** Devices that would be held longer than this get nothing. */
  timeToLiveMs: number;
}

export interface MomentsRequest {
  moment: Moment;
  /** A moment before this is past. */
  createdAt: Date;
  /** For devices that have no moment of their own. */
  dueAt: Date;
  zones: readonly ZoneCount[];
  /** The moments of the local time in each zone, on `DAYS` days; zones that the database does not know are missing. */
  momentsByZone: ReadonlyMap<string, readonly Date[]>;
}

/** Decides for each time zone when its devices are due, without regard to quiet hours. */
export function decideMoments(request: MomentsRequest): Decided[] {
  const { moment, zones, momentsByZone } = request;
  return zones.map((count) => {
    const { zone } = count;
    const isKnown = zone !== null && (moment.local === undefined || momentsByZone.has(zone));
    const listed = isKnown && (moment.local ?? moment.quiet) !== undefined ? zone : undefined;
    return Object.assign(decide(request, listed), { count, listed });
  });
}

/** @param listed undefined: the device has no known zone */
function decide(
  { moment, createdAt, dueAt, momentsByZone }: MomentsRequest,
  listed: string | undefined,
): Decision {
  const send = { action: 'send', reason: null, spreadMs: moment.spreadMs } as const;
  const { local } = moment;
  if (local === undefined) return { ...send, dueAt };
  const used = listed ?? local.noTimeZone;
  const leftOut = { action: 'drop', dueAt, spreadMs: 0 } as const;
  if (used === null) return { ...leftOut, reason: 'no_time_zone' };
  const moments = momentsByZone.get(used) ?? momentsByZone.get(LAST_RESORT) ?? [];
  const [first = dueAt] = moments;
  if (first >= createdAt) return { ...send, dueAt: first };
  switch (local.ifPast) {
    case 'now':
      return { ...send, dueAt: createdAt };
    case 'skip':
      return { ...leftOut, reason: 'local_time_past' };
    case 'next_day':
      return { ...send, dueAt: moments.find((at) => at >= createdAt) ?? createdAt };
  }
}

/**
 * Holds or drops the devices whose moment is in their quiet hours.
 * @param ends the end of the quiet hours that each moment is in; null if it is in none
 */
export function keepQuiet(
  decided: readonly Decided[],
  ends: readonly (Date | null)[],
  { action, releaseMs, timeToLiveMs }: QuietRule,
): Decided[] {
  return decided.map((one, index) => {
    const end = ends[index] ?? null;
    if (end === null || one.action !== 'send') return one;
    return { ...one, ...hold(one, end) };
  });

  function hold({ dueAt, spreadMs }: Decision, end: Date): Decision {
    if (action === 'drop') return { action: 'drop', reason: 'quiet_hours', dueAt, spreadMs: 0 };
    if (end.getTime() - dueAt.getTime() > timeToLiveMs) {
      return { action: 'expire', reason: 'held_too_long', dueAt, spreadMs: 0 };
    }
    return { action: 'send', reason: null, dueAt: end, spreadMs: releaseMs > 0 ? releaseMs : spreadMs };
  }
}

export function isSameDecision(one: Decision, other: Decision): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ dueAt, action, reason, spreadMs }: Decision): string {
  return `${dueAt.getTime()} ${action} ${reason ?? ''} ${spreadMs}`;
}

/**
 * Every device is in one wave.
 * @param isByZone whether the time zone of a device decides
 * @returns sorted by moment; empty if there are no devices
 */
export function wavesOf(decided: readonly Decided[], isByZone: boolean): CutWave[] {
  const waves = new Map<string, Wave>();
  for (const one of decided) {
    const { count, listed, ownKey, dueAt, action, reason, spreadMs } = one;
    const key = keyOf(one);
    const wave = waves.get(key) ?? { dueAt, action, reason, spreadMs, ...EMPTY };
    const devices = wave.devices + count.devices;
    const withoutZone = wave.withoutZone + (listed === undefined && isByZone ? count.devices : 0);
    const grown = { ...wave, devices, withoutZone };
    if (ownKey !== undefined) {
      const byOwnHours = wave.byOwnHours + count.devices;
      waves.set(key, { ...grown, ownHours: [...wave.ownHours, ownKey], byOwnHours });
    } else if (listed === undefined) waves.set(key, { ...grown, isRest: true });
    else waves.set(key, { ...grown, zones: [...wave.zones, listed] });
  }
  const some = [...waves.values()].filter(({ devices }) => devices > 0);
  return cut(some.toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime()));
}

/** Assigns numbers of slices to each wave. */
function cut(waves: readonly Wave[]): CutWave[] {
  const total = waves.reduce((sum, { devices }) => sum + devices, 0);
  let firstSlice = 0;
  return waves.map((wave, index) => {
    const slices = slicesOf(wave, waves.length === 1 ? 0 : total);
    const numbered = { ...wave, wave: index, firstSlice, slices };
    firstSlice += slices;
    return numbered;
  });
}

function slicesOf({ devices, spreadMs }: Wave, readDevices: number): number {
  const steps = Math.min(Math.ceil(spreadMs / SPREAD_STEP_MS), SPREAD_STEPS_MAX, devices);
  return Math.max(1, Math.ceil(devices / SLICE_DEVICES), Math.ceil(readDevices / SLICE_READS), steps);
}
