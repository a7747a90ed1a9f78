/**
 * A payload whose texts have values of the device in them. It is compiled once per notification; after that, each
 * device costs only its own values.
 */
import type { FaultDetail } from '../../../api/errors.ts';
import type { Payload } from '../../../gateways/payload.ts';
import { memberPath } from '../../../json/lossless.ts';
import { isJsonObject } from '../../../api/parse.ts';
import type { Fact } from '../../../targeting/device-facts.ts';
import { parseTemplate, type Piece, TemplateFault } from './engine.ts';
import { evaluate, type Output } from './evaluate.ts';
import { Work } from './work.ts';

/** Keys that name something in the app or the phone, so they are the same for every device. */
const FIXED_KEYS: ReadonlySet<string> = new Set(
  'sound category collapse_key _channel_id interruption_level loc_key title_loc_key subtitle_loc_key'.split(
    ' ',
  ),
);

type Values = (output: Output) => string;
type Render = (values: Values) => unknown;

/** @param facts receives the facts that it uses */
export function compileTemplate(payload: Payload, path: string, facts: Fact[] = []) {
  const faults: FaultDetail[] = [];
  const outputs: Output[] = [];

  function compileText(text: string, at: string): Render | undefined {
    if (!isTemplate(text)) return undefined;
    const pieces = piecesOf(text, at);
    for (const piece of pieces) {
      if (typeof piece === 'string') continue;
      outputs.push(piece);
      facts.push(...factsIn(piece));
    }
    return (values) => pieces.map((piece) => (typeof piece === 'string' ? piece : values(piece))).join('');
  }

  function piecesOf(text: string, at: string): readonly Piece[] {
    try {
      return parseTemplate(text);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      faults.push({ path: at, message: error.message });
      return [NOTHING];
    }
  }

  /** @returns undefined if the value is the same for every device */
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
  const template = {
    /** A missing value becomes an empty text. @returns the payload of a device, and whether every value was there */
    render(valueOf: (fact: Fact) => unknown): { payload: Payload; isComplete: boolean } {
      let isComplete = true;
      const work = new Work();
      const result = rendered((output) => {
        const text = evaluate(output, valueOf, work);
        if (text === '') isComplete = false;
        return text;
      });
      return { payload: result, isComplete };
    },
    outputs,
    /** The payload with the longest value in every place. */
    get longest(): Payload {
      return rendered(({ charactersMax }) => LONGEST_CHARACTER.repeat(charactersMax));
    },
  };
  return { template, faults };
}

export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** Stands for a text with a fault. Creation refuses such a text, but an earlier release may have stored one. */
const NOTHING: Output = { initial: { value: '' }, steps: [], charactersMax: 0, ending: '' };

type Member = readonly [key: string, render: Render];

function withMembers<Whole extends Readonly<Record<string, unknown>>>(
  whole: Whole,
  members: readonly Member[],
  values: Values,
): Whole {
  return { ...whole, ...Object.fromEntries(members.map(([key, render]) => [key, render(values)])) };
}

/**
 * Takes four bytes in UTF-8. No other character takes more: control characters, which JSON escapes, are left out of
 * values.
 */
const LONGEST_CHARACTER = '\u{1F514}';

function factsIn({ initial, steps }: Output): Fact[] {
  const operands = [initial, ...steps.flatMap((step) => step.arguments)];
  return operands.flatMap((operand) => ('fact' in operand ? [operand.fact] : []));
}
