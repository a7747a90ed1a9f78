/**
 * Math-dates: `now-1d/d`, `2026-01-31||+1M`. They are parsed with the filter, and evaluated when devices are selected. The
 * grammar: `now`, or an ISO 8601 date and `||`; then up to 14 steps, added from left to right; then at most one rounding.
 */
import { INSTANT } from '../time/instant.ts';
import { DAY_MS, FIRST_MS, LAST_MS, parseIsoDate } from './iso-date.ts';

/** `M` is months and `m` minutes; `H` is read as `h`. */
type DateUnit = 'y' | 'M' | 'w' | 'd' | 'h' | 'm' | 's';

export interface MathDate {
  /** The original text, which the canonical form keeps. */
  readonly written: string;
  readonly anchor: { kind: 'now' } | { kind: 'date'; ms: number };
  readonly steps: readonly { amount: number; unit: DateUnit }[];
  readonly roundTo: DateUnit | undefined;
}

const UNITS: Readonly<Record<string, DateUnit>> = {
  y: 'y',
  M: 'M',
  w: 'w',
  d: 'd',
  h: 'h',
  H: 'h',
  m: 'm',
  s: 's',
};
const UNIT_MS = { w: 7 * DAY_MS, d: DAY_MS, h: 3_600_000, m: 60_000, s: 1_000 } as const;
/** 1970-01-01 was a Thursday; its week began three days earlier, on Monday. */
const MONDAY_OFFSET_MS = 3 * DAY_MS;

/** Twice what a date with every unit needs. One request may have 16,000 math-dates, and each is evaluated several times. */
export const STEPS_MAX = 14;

const STEPS = `(?:[+-]\\d+[yMwdhHms]){0,${STEPS_MAX}}`;
const ROUNDING = '(?:/[yMwdhHms])?';
/** Matches every text that `parseMathDate` accepts, and texts whose fixed date is outside the years 1 to 9999. */
export const MATH_DATE = `^(?:now${STEPS}${ROUNDING}|${INSTANT}(?:\\|\\|${STEPS}${ROUNDING})?)$`;
const ARITHMETIC = new RegExp(`^(${STEPS})${ROUNDING}$`);

/**
 * @returns undefined if the text is neither a math-date nor an ISO 8601 date, or its date is fixed and outside the years 1
 *   to 9999
 */
export function parseMathDate(text: string): MathDate | undefined {
  const bar = text.indexOf('||');
  const fixed = parseIsoDate(bar === -1 ? text : text.slice(0, bar));
  if (fixed === undefined) {
    return text.startsWith('now') ? parseArithmetic(text, { kind: 'now' }, text.slice(3)) : undefined;
  }
  const arithmetic = bar === -1 ? '' : text.slice(bar + 2);
  const parsed = parseArithmetic(text, { kind: 'date', ms: fixed.ms }, arithmetic);
  if (parsed === undefined || !Number.isFinite(evaluateMathDate(parsed, new Date(0)))) return undefined;
  return parsed;
}

function parseArithmetic(written: string, anchor: MathDate['anchor'], text: string): MathDate | undefined {
  const match = ARITHMETIC.exec(text);
  if (match === null) return undefined;
  const [whole, amounts = ''] = match;
  const steps: { amount: number; unit: DateUnit }[] = [];
  for (const step of amounts.matchAll(/([+-]\d+)(\w)/g)) {
    const unit = UNITS[step[2] ?? ''];
    if (unit !== undefined) steps.push({ amount: Number(step[1]), unit });
  }
  return { written, anchor, steps, roundTo: UNITS[whole.slice(amounts.length + 1)] };
}

/** @returns milliseconds since 1970; -Infinity or Infinity if a step leads outside the years 1 to 9999 */
export function evaluateMathDate(date: MathDate, now: Date): number {
  let ms = date.anchor.kind === 'now' ? now.getTime() : date.anchor.ms;
  for (const { amount, unit } of date.steps) {
    ms = add(ms, amount, unit);
    if (!Number.isFinite(ms)) return ms;
  }
  return date.roundTo === undefined ? ms : saturate(roundDown(ms, date.roundTo), -1);
}

function add(ms: number, amount: number, unit: DateUnit): number {
  if (unit === 'M') return saturate(addMonths(ms, amount), amount);
  if (unit === 'y') return saturate(addMonths(ms, amount * 12), amount);
  return saturate(ms + amount * UNIT_MS[unit], amount);
}

/** If the resulting month does not have the day, the result is the last day of the month. */
function addMonths(ms: number, months: number): number {
  const date = new Date(ms);
  const day = date.getUTCDate();
  const firstOfMonthMs = date.setUTCMonth(date.getUTCMonth() + months, 1);
  const days = (date.setUTCMonth(date.getUTCMonth() + 1) - firstOfMonthMs) / DAY_MS;
  return firstOfMonthMs + (Math.min(day, days) - 1) * DAY_MS;
}

function roundDown(ms: number, unit: DateUnit): number {
  if (unit === 'w') return Math.floor((ms + MONDAY_OFFSET_MS) / UNIT_MS.w) * UNIT_MS.w - MONDAY_OFFSET_MS;
  if (unit !== 'M' && unit !== 'y') return Math.floor(ms / UNIT_MS[unit]) * UNIT_MS[unit];
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  date.setUTCDate(1);
  if (unit === 'y') date.setUTCMonth(0);
  return date.getTime();
}

/** A date outside the years 1 to 9999, or NaN, becomes positive or negative infinity. */
function saturate(ms: number, direction: number): number {
  if (ms >= FIRST_MS && ms <= LAST_MS) return ms;
  return direction < 0 ? -Infinity : Infinity;
}
