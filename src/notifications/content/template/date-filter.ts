/** Limits for Liquid's filter `date`: the length of its format, and cached formatters for time zones. */
import { timeZoneNamed } from '../../../time/time-zones.ts';

const FORMAT_CHARACTERS_MAX = 100;
/** Flags, a width and a modifier, as Liquid reads them before the letter of a conversion. */
const TOO_WIDE = /%[-_0^#:]*[1-9]\d{2}/;
/** Conversions for which Liquid makes a formatter: names of days, months and zones, and dates as a locale writes them. */
const SLOW = /%[-_0^#:]*\d*[EO]?[aAbBhcxXZ]/g;
const SLOW_WORK = 1_000;

export interface DateFormat {
  fault: string | undefined;
  /** In the units of `work.ts`, the same whether a formatter is cached or not. */
  work: number;
  /** Whether it shows the name of the zone. A mere offset has no name. */
  showsZone: boolean;
}

export function dateFormat(written: string): DateFormat {
  const slow = written.length > FORMAT_CHARACTERS_MAX ? [] : (written.match(SLOW) ?? []);
  return {
    fault: faultOf(written),
    work: SLOW_WORK * slow.length,
    showsZone: slow.some((conversion) => conversion.endsWith('Z')),
  };
}

function faultOf(format: string): string | undefined {
  if (format.length > FORMAT_CHARACTERS_MAX) {
    return `a date format has at most ${FORMAT_CHARACTERS_MAX} characters`;
  }
  return TOO_WIDE.test(format) ? 'a date format pads to at most 99 characters' : undefined;
}

/** The work of reading a time zone, in the units of `work.ts`. */
export const ZONE_WORK = 1_000;

/** Longer texts are not dates. */
const DATE_CHARACTERS_MAX = 100;

/** @returns the moment as Liquid reads it; undefined if the value is not a date */
export function momentOf(value: unknown): Date | undefined {
  const moment = readMoment(value);
  return moment === undefined || Number.isNaN(moment.getTime()) ? undefined : moment;
}

function readMoment(value: unknown): Date | undefined {
  if (typeof value === 'number') return new Date(value * 1_000);
  if (typeof value !== 'string' || value.length > DATE_CHARACTERS_MAX) return undefined;
  if (value === 'now' || value === 'today') return new Date();
  return /^\d+$/.test(value) ? new Date(Number(value) * 1_000) : new Date(value);
}

/** A formatter takes some 50 KB and 100 µs to make. */
const FORMATTERS_MAX = 100;
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * @returns the minutes that a zone is behind UTC, as `Date.prototype.getTimezoneOffset` has them
 * @throws {RangeError} if there is no such zone
 */
export function minutesBehind(zone: string, moment: Date): number {
  const [, sign, hours, minutes = 0, seconds = 0] =
    /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(formatterOf(zone).format(moment)) ?? [];
  if (sign === undefined) return 0;
  const ahead = Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
  return sign === '+' ? -ahead : ahead;
}

function formatterOf(sent: string): Intl.DateTimeFormat {
  const known = formatters.get(sent);
  if (known !== undefined) return known;
  const zone = timeZoneNamed(sent) ?? sent;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const [oldest] = formatters.keys();
  if (formatters.size >= FORMATTERS_MAX && oldest !== undefined) formatters.delete(oldest);
  formatters.set(sent, made);
  return made;
}
