/** Checks the keys of a notification that say when it is sent: `deliver_at`, `deliver_at_local`, `spread_over` and `quiet_hours`. */
import { z } from 'zod';
import { type QuietHours, quietHours } from '../../apps/quiet-hours-of-app.ts';
import { TIME_ZONE, timeZoneNamed, timeZoneRule } from '../../time/time-zones.ts';
import type { FaultDetail } from '../../api/errors.ts';
import { DAY_MS, parseIsoDate } from '../../filters/iso-date.ts';
import { DAY, MINUTE, parseInstant } from '../../time/instant.ts';
import { faultsOf, judge, type Parsed } from '../../api/parse.ts';
import { type Moment, pastRules } from './moment.ts';
import { durationMs, DURATION_RULE, durationShape } from '../../time/duration.ts';

/** A notification can be scheduled this far ahead. */
const DELIVER_AHEAD_DAYS_MAX = 30;
const HOUR_MS = 60 * 60_000;
/** The first zone in the world, UTC+14, and the last, UTC-12. */
const FIRST_ZONE_MS = 14 * HOUR_MS;
const LAST_ZONE_MS = 12 * HOUR_MS;
const SPREAD_MS_MAX = 24 * HOUR_MS;

const LOCAL_TIME = new RegExp(`^${DAY}T${MINUTE}(?::[0-5]\\d(?:\\.\\d+)?)?$`);
const LOCAL_TIME_RULE = 'must be a local time without an offset, such as "2026-12-24T09:00:00"';
const SPREAD_RULE = `${DURATION_RULE}, from PT1S to P1D`;

export const deliverAtLocal = z
  .strictObject(
    {
      time: z
        .string(LOCAL_TIME_RULE)
        .refine((time) => LOCAL_TIME.test(time) && parseInstant(time) !== undefined, LOCAL_TIME_RULE)
        .meta({
          pattern: LOCAL_TIME.source,
          description:
            'The local time on each device’s clock at which it is sent to, without an offset. At most 30 days ahead.',
        }),
      no_time_zone: z
        .string('is required: the IANA name of a time zone, or "skip"')
        .superRefine((zone, context) => {
          if (zone !== 'skip' && timeZoneNamed(zone) === undefined) {
            context.addIssue(`${timeZoneRule(zone)}; or "skip"`);
          }
        })
        .meta({
          pattern: TIME_ZONE.source,
          description:
            'For devices without a known time zone: the zone to use, or `skip`, which leaves them out.',
        }),
      if_past: z
        .enum(pastRules, 'must be now, skip or next_day')
        .describe(
          'For devices whose local time was already over when the notification was created: send `now` ' +
            '(the default), `skip` them, or send at that local time of the `next_day`.',
        )
        .exactOptional(),
    },
    'must be an object: {"time", "no_time_zone", "if_past"}',
  )
  .meta({ id: 'DeliverAtLocal' });

export const spreadOver = z
  .string(SPREAD_RULE)
  .refine((text) => {
    const ms = durationMs(text);
    return ms !== undefined && ms >= 1_000 && ms <= SPREAD_MS_MAX;
  }, SPREAD_RULE)
  .meta({
    ...durationShape,
    description:
      'The devices are sent to evenly within this time, an ISO 8601 duration of at most a day ' +
      '(`PT30M`), so that they do not all call a server at once. The time to live counts from the ' +
      'moment of each device.',
  });

export const ownQuietHours = z.union([quietHours, z.enum(['ignore', 'ignore_all'])]);

export interface ParsedMoment {
  /** When the notification is due, or planned if its devices have moments of their own; null: at once. */
  deliverAt: Date | null;
  /** Null if all devices are due then. */
  moment: Moment | null;
}

/** @param ofApp the quiet hours of the app, used unless the notification sets its own */
export function parseMoment(
  sent: { deliver_at?: unknown; deliver_at_local?: unknown; spread_over?: unknown; quiet_hours?: unknown },
  path: string,
  now: Date,
  ofApp: QuietHours | null,
): Parsed<ParsedMoment> {
  const deliverAt = parseDeliverAt(sent.deliver_at, `${path}.deliver_at`, now);
  const local = parseOptional(deliverAtLocal, sent.deliver_at_local, `${path}.deliver_at_local`);
  const spread = parseOptional(spreadOver, sent.spread_over, `${path}.spread_over`);
  const quiet = parseQuietHours(sent.quiet_hours, `${path}.quiet_hours`, ofApp);
  const faults = [
    ...(deliverAt.faults ?? []),
    ...(local.faults ?? localFaults(local.value, `${path}.deliver_at_local`, now)),
    ...(spread.faults ?? []),
    ...(quiet.faults ?? []),
  ];
  if (sent.deliver_at_local !== undefined && sent.deliver_at !== undefined) {
    faults.push({ path: `${path}.deliver_at_local`, message: 'cannot be used together with deliver_at' });
  }
  if (faults.length > 0) return { faults };
  const hours = quiet.value ?? null;
  const spreadMs = spread.value === undefined ? 0 : (durationMs(spread.value) ?? 0);
  const common = { spreadMs, ...(hours !== null && { quiet: hours }) };
  if (local.value === undefined) {
    const at = deliverAt.value ?? null;
    const dueAt = at !== null && at > now ? at.toISOString() : null;
    const isSameForAll = hours === null && sent.spread_over === undefined;
    return { value: { deliverAt: at, moment: isSameForAll ? null : { dueAt, ...common } } };
  }
  const { time, no_time_zone: zone, if_past: ifPast = 'now' } = local.value;
  const noTimeZone = zone === 'skip' ? null : (timeZoneNamed(zone) ?? null);
  const moment = { local: { time: withSeconds(time), noTimeZone, ifPast }, dueAt: null, ...common };
  return { value: { deliverAt: new Date(utcMs(time) - FIRST_ZONE_MS), moment } };
}

/** @returns null if there are none */
function parseQuietHours(value: unknown, path: string, ofApp: QuietHours | null): Parsed<QuietHours | null> {
  if (value === undefined) return { value: ofApp };
  // `ignore_all` also ignores the hours of devices (`sendingRulesFrom`).
  if (value === 'ignore' || value === 'ignore_all') return { value: null };
  const own = parseOptional(quietHours, value, path);
  return own.faults === undefined ? { value: own.value ?? null } : own;
}

/** Parses it like every date of the API: a date without an offset is UTC. */
function parseDeliverAt(value: unknown, path: string, now: Date): Parsed<Date | null> {
  if (value === undefined) return { value: null };
  const date = typeof value === 'string' ? parseIsoDate(value) : undefined;
  if (date === undefined) return { faults: [{ path, message: dateRule }] };
  if (date.ms <= now.getTime() + DELIVER_AHEAD_DAYS_MAX * DAY_MS) return { value: new Date(date.ms) };
  return { faults: [{ path, message: aheadRule }] };
}

const dateRule = 'must be an ISO 8601 date-time, e.g. "2026-12-24T18:00:00Z"';
const aheadRule = `must be at most ${DELIVER_AHEAD_DAYS_MAX} days ahead`;

function localFaults(
  local: z.output<typeof deliverAtLocal> | undefined,
  path: string,
  now: Date,
): FaultDetail[] {
  if (local === undefined) return [];
  const ms = utcMs(local.time);
  if (ms - FIRST_ZONE_MS > now.getTime() + DELIVER_AHEAD_DAYS_MAX * DAY_MS) {
    return [{ path: `${path}.time`, message: aheadRule }];
  }
  if (ms + LAST_ZONE_MS >= now.getTime()) return [];
  return [
    { path: `${path}.time`, message: 'is over in every time zone; leave deliver_at_local out to send now' },
  ];
}

function parseOptional<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
): Parsed<z.output<Schema> | undefined> {
  if (value === undefined) return { value: undefined };
  const result = judge(schema, value);
  return result.success ? { value: result.data } : { faults: faultsOf(result.error, path) };
}

/** The moment at which clocks in UTC show the time. */
function utcMs(time: string): number {
  return Date.parse(`${time}Z`);
}

/** `2026-12-24T09:00` and `2026-12-24T09:00:00.000` as `2026-12-24T09:00:00`. */
function withSeconds(time: string): string {
  return time.length === 16 ? `${time}:00` : time.slice(0, 19);
}
