/** Days of a time zone, made of hours. */
import { type Counted, counted } from './hours-store.ts';

const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

/** @returns a function that returns the day of a time in the zone: `2026-11-24` */
export function dayIn(timeZone: string): (at: Date) => string {
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => format.format(at);
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The last `days` days up to `today`, oldest first. */
export function lastDays(today: string, days: number): string[] {
  const lastMs = Date.parse(today);
  return Array.from({ length: days }, (_, index) =>
    new Date(lastMs - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/**
 * Sums hours by day. An hour belongs to the day of its beginning, even in zones whose days begin in the middle of an
 * hour.
 */
export function sumByDay(
  hours: readonly (Counted & { hour: Date })[],
  dayOf: (at: Date) => string,
): ReadonlyMap<string, Counted> {
  const days = new Map<string, Counted>();
  for (const hour of hours) {
    const day = dayOf(hour.hour);
    days.set(day, add(days.get(day) ?? NOTHING, hour));
  }
  return days;
}

export const NOTHING: Counted = {
  notifications: 0,
  devices: 0,
  accepted: 0,
  rejected: 0,
  unregistered: 0,
  no_token: 0,
  ambiguous: 0,
  opens: 0,
};

export function add(one: Counted, other: Counted): Counted {
  const sum = { ...one };
  for (const name of counted) sum[name] += other[name];
  return sum;
}
