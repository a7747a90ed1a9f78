/**
 * The template language: outputs and filters of Liquid, parsed by liquidjs. Tags (loops, conditions, files) do not exist, and
 * variables are attributes of the device, so a template has neither side effects nor a runtime that its text does not bound.
 */
import { Context, type Filter, Liquid, Output, type Template, TypeGuards } from 'liquidjs';
import { type Fact, factColumns } from '../../../targeting/device-facts.ts';
import { shortened } from './shorten.ts';

/** A variable, or a value that is written in the template. */
type Operand = { fact: Fact; path: readonly (string | number)[] } | { value: unknown };

interface Step {
  name: string;
  arguments: readonly Operand[];
}

/** A text, or a value that differs by device. */
export type Part = string | { initial: Operand; steps: readonly Step[]; charactersMax: number };

/** A fault of a template, with its line and column from 1. */
export class TemplateFault extends Error {
  constructor(problem: string, [line, column]: readonly number[]) {
    super(`has a fault in line ${line}, column ${column}: ${problem}`);
  }
}

/** A value is cut after this many characters, unless `truncate` is its last filter. */
export const VALUE_CHARACTERS_MAX = 100;
/** Longer texts do not fit in a payload. It also bounds the work of the filters. */
const TEMPLATE_CHARACTERS_MAX = 4_096;

/** Those that make a text much longer, evaluate expressions or choose at random are left out. */
const FILTERS: ReadonlySet<string> = new Set(
  (
    'default upcase downcase capitalize strip lstrip rstrip squish truncate append prepend remove remove_first slice split ' +
    'join first last size round floor ceil abs plus minus times divided_by modulo at_least at_most date url_encode'
  ).split(' '),
);

const engine = openEngine();
const context = new Context({}, engine.options, { sync: true });

function openEngine(): Liquid {
  const liquid = new Liquid({ strictFilters: true, ownPropertyOnly: true, templates: {} });
  for (const name of Object.keys(liquid.tags)) delete liquid.tags[name];
  for (const name of Object.keys(liquid.filters)) {
    if (!FILTERS.has(name)) liquid.unregisterFilter(name);
  }
  // Liquid's own filter cuts an emoji in two.
  liquid.registerFilter('truncate', (value: unknown, characters: unknown = 50, end: unknown = '…') =>
    typeof value === 'string' && typeof end === 'string'
      ? shortened(value, Math.max(0, Number(characters) || 0), end)
      : value,
  );
  return liquid;
}

/** @throws {TemplateFault} */
export function parseTemplate(text: string): readonly Part[] {
  if (text.length > TEMPLATE_CHARACTERS_MAX) {
    throw new TemplateFault(`a template has at most ${TEMPLATE_CHARACTERS_MAX} characters`, [1, 1]);
  }
  return parsed(text).map((template) => {
    if (TypeGuards.isHTMLToken(template.token)) return template.token.getContent();
    if (template instanceof Output) return partOf(template);
    throw new TemplateFault('only outputs, {{ … }}, are allowed', template.token.getPosition());
  });
}

function parsed(text: string): Template[] {
  try {
    return engine.parse(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The engine's message ends with the position and an excerpt.
    const [problem = ''] = error.message.split(/, line:\d/);
    const at = /line:(\d+), col:(\d+)/.exec(error.message);
    throw new TemplateFault(plain(problem), [Number(at?.[1] ?? 1), Number(at?.[2] ?? 1)]);
  }
}

function plain(problem: string): string {
  if (problem.startsWith('tag ')) return 'tags, {% … %}, are not allowed';
  if (problem.startsWith('undefined filter: ')) {
    return `there is no filter ${problem.slice('undefined filter: '.length)}; there are ${[...FILTERS].join(', ')}`;
  }
  return problem;
}

function partOf({ value: { initial, filters }, token }: Output): Exclude<Part, string> {
  const position = token.getPosition();
  const [operand, ...others] = initial.postfix;
  if (operand === undefined || others.length > 0) {
    throw new TemplateFault('an output is one value with filters', position);
  }
  const steps = filters.map((filter) => stepOf(filter, position));
  const last = steps.at(-1);
  return {
    initial: operandOf(operand, position),
    steps,
    charactersMax: (last?.name === 'truncate' ? lengthOf(last) : undefined) ?? VALUE_CHARACTERS_MAX,
  };
}

/** @returns undefined if it is not written in the template */
function lengthOf({ arguments: [length] }: Step): number | undefined {
  return length !== undefined && 'value' in length && typeof length.value === 'number'
    ? Math.max(0, length.value)
    : undefined;
}

function stepOf({ name, args }: Filter, position: readonly number[]): Step {
  return {
    name,
    arguments: args.map((argument) => {
      if (!Array.isArray(argument)) return operandOf(argument, position);
      throw new TemplateFault(`the filter ${name} takes no named arguments here`, position);
    }),
  };
}

function operandOf(token: unknown, position: readonly number[]): Operand {
  if (TypeGuards.isQuotedToken(token)) return { value: token.content };
  if (TypeGuards.isNumberToken(token)) return { value: token.content };
  if (TypeGuards.isLiteralToken(token) && typeof token.content === 'boolean') return { value: token.content };
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) {
    throw new TemplateFault('a value is device.<attribute>, custom.<name>, a text or a number', position);
  }
  const [root, name, ...path] = token.props.map((part) => {
    if (TypeGuards.isWordToken(part) || TypeGuards.isQuotedToken(part) || TypeGuards.isNumberToken(part)) {
      return part.content;
    }
    throw new TemplateFault('brackets contain a text or a number', position);
  });
  if (root === 'custom' && typeof name === 'string') return { fact: { custom: name }, path };
  const column = factColumns.find((known) => known === name);
  if (root === 'device' && column !== undefined && path.length === 0) return { fact: { column }, path };
  if (root === 'device') {
    const known = factColumns.join(', ');
    throw new TemplateFault(`device has no attribute ${name ?? ''}; it has ${known}`, position);
  }
  throw new TemplateFault(`${root ?? ''} is not known; use device.<attribute> or custom.<name>`, position);
}

/**
 * Applies a filter.
 * @throws the filter's error, such as that of a date that is none
 */
export function applyFilter(name: string, value: unknown, values: readonly unknown[]): unknown {
  const filter = engine.filters[name];
  if (filter === undefined) throw new Error(`no filter ${name}`);
  const handler = typeof filter === 'function' ? filter : filter.handler;
  const result: unknown = Reflect.apply(handler, { context, liquid: engine }, [value, ...values]);
  return result;
}
