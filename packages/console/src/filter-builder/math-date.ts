/** Math-dates (`now-7d/d`) in words, and the simple ones as a number and a unit. */

export const dateUnits = {
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  M: 'month',
  y: 'year',
  s: 'second',
} as const;
export type DateUnit = keyof typeof dateUnits;

export function isDateUnit(unit: string): unit is DateUnit {
  return Object.hasOwn(dateUnits, unit);
}

const MATH = /^((?:[+-]\d+[yMwdhHms])*)(?:\/([yMwdhHms]))?$/;

/** @returns 7 and `d` for `now-7d`; undefined for anything else */
export function stepOf(text: unknown, sign: '-' | '+'): { amount: string; unit: DateUnit } | undefined {
  if (typeof text !== 'string') return undefined;
  const [, found, amount = '', unit = ''] = /^now([+-])(\d+)([a-zA-Z])$/.exec(text) ?? [];
  return found === sign && isDateUnit(unit) ? { amount, unit } : undefined;
}

/** @returns words for a moment: 'the start of the day 7 days ago'; the text itself if it is not a math-date */
export function momentWords(text: string): string {
  const bar = text.indexOf('||');
  const isNow = text.startsWith('now');
  if (!isNow && bar === -1) return text;
  const anchor = isNow ? 'now' : text.slice(0, bar);
  const [whole, steps = '', rounding] = MATH.exec(isNow ? text.slice(3) : text.slice(bar + 2)) ?? [];
  if (whole === undefined) return text;
  const moment = steps === '' ? anchor : stepsWords(anchor, steps);
  if (rounding === undefined) return moment;
  const unit = unitWord(rounding);
  if (anchor === 'now' && steps === '') return `the start of this ${unit}`;
  return `the start of the ${unit} of ${moment}`;
}

function stepsWords(anchor: string, steps: string): string {
  const changes = [...steps.matchAll(/([+-])(\d+)(\w)/g)];
  const isPast = changes.every(([, sign]) => sign === '-');
  const isFuture = changes.every(([, sign]) => sign === '+');
  const amounts = changes.map(([, , amount = '', unit = '']) => amountWords(amount, unit));
  if (isPast) return anchor === 'now' ? `${joined(amounts)} ago` : `${joined(amounts)} before ${anchor}`;
  if (isFuture)
    return anchor === 'now' ? `${joined(amounts)} from now` : `${joined(amounts)} after ${anchor}`;
  const signed = changes.map(
    ([, sign], index) => `${sign === '-' ? 'minus' : 'plus'} ${amounts[index] ?? ''}`,
  );
  return `${anchor} ${signed.join(' ')}`;
}

export function amountWords(amount: string, unit: string): string {
  return `${amount} ${unitWord(unit)}${Number(amount) === 1 ? '' : 's'}`;
}

function unitWord(unit: string): string {
  const known = unit === 'H' ? 'h' : unit;
  return isDateUnit(known) ? dateUnits[known] : unit;
}

function joined(changes: readonly string[]): string {
  return changes.join(' and ');
}
