/** Math-dates (`now-7d/d`) in words, and the simple ones as a number and a unit. */

export const dateUnits: Readonly<Record<string, string>> = {
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  M: 'month',
  y: 'year',
  s: 'second',
};

export interface Step {
  sign: string;
  amount: string;
  unit: string;
}

/** @returns -, 7 and `d` for `now-7d`; undefined for anything else */
export function stepOf(text: unknown): Step | undefined {
  if (typeof text !== 'string') return undefined;
  const [, sign, amount = '', unit = ''] = /^now([+-])(\d+)([a-zA-Z])$/.exec(text) ?? [];
  return sign !== undefined && Object.hasOwn(dateUnits, unit) ? { sign, amount, unit } : undefined;
}

const MATH = /^(now|.*\|\|)((?:[+-]\d+[yMwdhHms])*)(?:\/([yMwdhHms]))?$/;

/** @returns words for a moment: 'the start of the day 7 days ago'; the text itself if it is not a math-date */
export function momentWords(text: string): string {
  const [, before, steps = '', rounding] = MATH.exec(text) ?? [];
  if (before === undefined) return text;
  const anchor = before.replace('||', '');
  const moment = steps === '' ? anchor : stepsWords(anchor, steps);
  if (rounding === undefined) return moment;
  const unit = unitWord(rounding);
  return moment === 'now' ? `the start of this ${unit}` : `the start of the ${unit} of ${moment}`;
}

function stepsWords(anchor: string, text: string): string {
  const steps = Array.from(text.matchAll(/([+-])(\d+)(\w)/g), ([, sign = '', amount = '', unit = '']) => {
    return { sign, words: amountWords({ amount, unit }) };
  });
  const all = steps.map(({ words }) => words).join(' and ');
  const [isPast, isFuture] = ['-', '+'].map((one) => steps.every(({ sign }) => sign === one));
  if (isPast) return anchor === 'now' ? `${all} ago` : `${all} before ${anchor}`;
  if (isFuture) return anchor === 'now' ? `${all} from now` : `${all} after ${anchor}`;
  return `${anchor} ${steps.map(({ sign, words }) => `${sign === '-' ? 'minus' : 'plus'} ${words}`).join(' ')}`;
}

/** '7 days' */
export function amountWords({ amount, unit }: Pick<Step, 'amount' | 'unit'>): string {
  return `${amount} ${unitWord(unit)}${Number(amount) === 1 ? '' : 's'}`;
}

function unitWord(unit: string): string {
  return dateUnits[unit === 'H' ? 'h' : unit] ?? unit;
}
