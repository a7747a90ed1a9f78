import { numberText } from '../../../json/lossless.ts';
import type { Fact } from '../../../targeting/device-facts.ts';
import type { Piece } from './engine.ts';
import { applyFilter, joined, VALUE_UNITS_MAX } from './filters.ts';
import { beginningOf, shortened } from './shorten.ts';
import { STEP_WORK, type Work } from './work.ts';

export type Output = Exclude<Piece, string>;

/** @returns '' if the value is missing, if a filter cannot use it, or if it would be too much work */
export function evaluate(output: Output, valueOf: (fact: Fact) => unknown, work: Work): string {
  const { initial, steps, charactersMax, ending } = output;
  const read = (operand: typeof initial): unknown => {
    if ('value' in operand) return operand.value;
    const whole = exact(valueOf(operand.fact));
    if (Array.isArray(whole)) work.spend(whole.length);
    const value = operand.path.reduce<unknown>(elementOf, whole);
    return typeof value === 'string' ? beginningOf(value, VALUE_UNITS_MAX) : value;
  };
  try {
    work.spend(STEP_WORK);
    let value = read(initial);
    for (const { name, arguments: operands } of steps) {
      value = applyFilter(name, value, operands.map(read), work);
    }
    const text = joined(value, ', ', textOf);
    work.spend(text.length);
    return shortened(text, charactersMax, ending);
  } catch {
    return '';
  }
}

/** The longest text that an attribute can have. */
const LONGEST_TEXT = 'я'.repeat(255);
const LONGEST_LIST: readonly string[] = Array.from({ length: 100 }, () => LONGEST_TEXT);

/** Does the most work that the output can cause: with a list if the output joins lists. */
export function evaluateLongest(output: Output, work: Work): void {
  const longest = output.steps.some(({ name }) => name === 'join') ? LONGEST_LIST : LONGEST_TEXT;
  evaluate(output, () => longest, work);
}

function elementOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) {
    if (key === 'size') return value.length;
    if (key === 'first') return value[0];
    if (key === 'last') return value.at(-1);
    if (typeof key === 'number') return value.at(key);
  }
  return undefined;
}

/** A number with more digits than a double holds becomes the text of its digits. */
function exact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exact);
  return JSON.isRawJSON(value) ? numberText(value) : value;
}

/** Line breaks stay; other control characters mean nothing in a push. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed().replace(CONTROL, '');
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? joined(value, ', ', textOf) : '';
}
