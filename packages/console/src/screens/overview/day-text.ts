// The days of the API are dates without a zone, so they are written as dates of UTC.
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** '2026-11-24' → '24 Nov' */
export function shortDay(day: string): string {
  return SHORT.format(new Date(day));
}

/** '2026-11-24' → 'Tue, 24 Nov' */
export function dayText(day: string): string {
  return LONG.format(new Date(day));
}
