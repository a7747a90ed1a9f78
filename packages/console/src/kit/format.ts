/** Times in the reader's zone, numbers, shares, and languages, as text. `time.tsx` shows times. */

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** 1234567 → '1,234,567' */
export function formatNumber(value: number): string {
  return WHOLE.format(value);
}

/** 1234567 → '1.2M' */
export function formatShort(value: number): string {
  return SHORT.format(value);
}

/** A share, 0 to 1 → '12.3%'. A share just above 0 or just below 1 is not rounded to 0% or 100%. */
export function formatShare(some: number, whole: number): string {
  if (whole === 0) return '–';
  const share = some / whole;
  if (share > 0 && share < 0.001) return '<0.1%';
  if (share < 1 && share > 0.999) return '>99.9%';
  return SHARE.format(share);
}

/** As `formatShare`, but always with a decimal, for shares in a column: 0.86 → '86.0%', as in '94.8%' */
export function formatComparedShare(share: number): string {
  return share > 0 && share < 1 ? formatShare(share, 1).replace(/^(\d+)%$/, '$1.0%') : formatShare(share, 1);
}

/** One and many: plural(1, 'device') → '1 device', plural(1200, 'device') → '1,200 devices' */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Seconds → '45 s', '3 min 20 s', '2 h 5 min', '3 days' */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return joined([Math.floor(whole / 60), 'min'], [whole % 60, 's']);
  if (whole < 172_800)
    return joined([Math.floor(whole / 3_600), 'h'], [Math.floor((whole % 3_600) / 60), 'min']);
  return `${Math.round(whole / 86_400)} days`;
}

function joined(...amounts: readonly (readonly [number, string])[]): string {
  return amounts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

/** @returns '23 Nov 2026, 14:05:09'; the year is left out if it is the present one. `zoneName` names the zone */
export function formatTime(at: string | number, now = Date.now()): string {
  const date = new Date(at);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(!sameYear && { year: 'numeric' }),
  }).format(date);
}

/** The name of the reader's zone at that moment, which changes with daylight saving time: 'CET', 'EST', 'GMT+5:30'. */
export function zoneName(at: string | number = Date.now()): string {
  // British English has names for the zones of Europe, American English for those of America.
  const [british = 'UTC', american] = ['en-GB', 'en-US'].map(
    (language) =>
      new Intl.DateTimeFormat(language, { timeZoneName: 'short' })
        .formatToParts(new Date(at))
        .find(({ type }) => type === 'timeZoneName')?.value,
  );
  return british.startsWith('GMT') ? (american ?? british) : british;
}

/** '5 minutes ago', 'in 2 hours' */
export function formatAgo(at: string | number, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1_000;
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(Math.trunc(seconds), 'second');
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

/** 'fr-CA' or 'fr_CA' → 'Canadian French'; a text that is not a language tag → itself */
export function languageName(tag: string): string {
  try {
    return LANGUAGES.of(tag.replaceAll('_', '-')) ?? tag;
  } catch {
    return tag;
  }
}

/** The items of a list as words: ['a', 'b', 'c'] → 'a, b and c' */
export function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words);
}
