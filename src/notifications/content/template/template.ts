/**
 * A payload whose texts have values of the device in them. It is compiled once per notification; a device then costs only its
 * own values.
 */
import type { FaultDetail } from '../../../errors.ts';
import type { Payload } from '../../../gateways/gateway.ts';
import { memberPath, numberText } from '../../../json/lossless.ts';
import { isJsonObject } from '../../../parse.ts';
import type { Fact } from '../../../targeting/device-facts.ts';
import { applyFilter, parseTemplate, type Part, TemplateFault } from './engine.ts';
import { shortened } from './shorten.ts';

/** A payload for one device. */
export interface Rendered {
  payload: Payload;
  /** Whether every value was there. A value that is missing leaves an empty text. */
  isComplete: boolean;
}

export interface PayloadTemplate {
  /** The payload for a device. @param valueOf the value of a fact */
  render(valueOf: (fact: Fact) => unknown): Rendered;
  /** The payload with the longest value in every place. */
  readonly longest: Payload;
}

/** These choose something that the app or the phone knows by name, so they are the same for every device. */
const FIXED_KEYS: ReadonlySet<string> = new Set([
  'sound',
  'category',
  'collapse_key',
  '_channel_id',
  'interruption_level',
  'loc_key',
  'title_loc_key',
  'subtitle_loc_key',
]);

type Values = (part: Exclude<Part, string>) => string;
/** Makes the value of a part of the payload for a device. */
type Render = (values: Values) => unknown;

/**
 * @param path where the payload was submitted; a fault's path adds the key
 * @returns the facts that it uses are added to `facts`
 */
export function compileTemplate(
  payload: Payload,
  path: string,
  facts: Fact[] = [],
): { template: PayloadTemplate; faults: FaultDetail[] } {
  const faults: FaultDetail[] = [];

  function compileText(text: string, at: string): Render | undefined {
    if (!text.includes('{{') && !text.includes('{%')) return undefined;
    try {
      const parts = parseTemplate(text);
      for (const part of parts) if (typeof part !== 'string') facts.push(...factsIn(part));
      return (values) => parts.map((part) => (typeof part === 'string' ? part : values(part))).join('');
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      faults.push({ path: at, message: error.message });
      return undefined;
    }
  }

  /** @returns undefined if it is the same for every device */
  function compile(value: unknown, at: string): Render | undefined {
    if (typeof value === 'string') return compileText(value, at);
    if (Array.isArray(value)) {
      const elements = value.map((element, index) => compile(element, memberPath(at, index)));
      if (elements.every((element) => element === undefined)) return undefined;
      return (values) => value.map((element, index) => elements[index]?.(values) ?? element);
    }
    if (!isJsonObject(value)) return undefined;
    const members = membersOf(value, at);
    return members.length === 0 ? undefined : (values) => withMembers(value, members, values);
  }

  function membersOf(object: Readonly<Record<string, unknown>>, at: string): Member[] {
    return Object.entries(object).flatMap(([key, value]) => {
      const render = compile(value, memberPath(at, key));
      return render === undefined ? [] : [[key, render] as const];
    });
  }

  const changing = Object.entries(payload).filter(([key]) => !FIXED_KEYS.has(key));
  const members = membersOf(Object.fromEntries(changing), path);
  const rendered = (values: Values): Payload => withMembers(payload, members, values);
  const template: PayloadTemplate = {
    render(valueOf) {
      let isComplete = true;
      const result = rendered((part) => {
        const text = evaluate(part, valueOf);
        if (text === '') isComplete = false;
        return text;
      });
      return { payload: result, isComplete };
    },
    get longest() {
      return rendered(({ charactersMax }) => LONGEST_CHARACTER.repeat(charactersMax));
    },
  };
  return { template, faults };
}

type Member = readonly [key: string, render: Render];

function withMembers<Whole extends Readonly<Record<string, unknown>>>(
  whole: Whole,
  members: readonly Member[],
  values: Values,
): Whole {
  return { ...whole, ...Object.fromEntries(members.map(([key, render]) => [key, render(values)])) };
}

/** Takes four bytes in UTF-8. None takes more: control characters, which JSON escapes, are left out of values. */
const LONGEST_CHARACTER = '\u{1F514}';

function factsIn({ initial, steps }: Exclude<Part, string>): Fact[] {
  const operands = [initial, ...steps.flatMap((step) => step.arguments)];
  return operands.flatMap((operand) => ('fact' in operand ? [operand.fact] : []));
}

/** @returns '' if the value is missing, or a filter cannot use it */
function evaluate(
  { initial, steps, charactersMax }: Exclude<Part, string>,
  valueOf: (fact: Fact) => unknown,
): string {
  const read = (operand: typeof initial): unknown => {
    if ('value' in operand) return operand.value;
    return operand.path.reduce<unknown>(elementOf, exact(valueOf(operand.fact)));
  };
  try {
    let value = read(initial);
    for (const { name, arguments: operands } of steps) {
      value = applyFilter(name, value, operands.map(read));
    }
    return shortened(textOf(value), charactersMax);
  } catch {
    return '';
  }
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

/** A number with more digits than a double has is the text of its digits. */
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
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return '';
}
