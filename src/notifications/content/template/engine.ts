/**
 * The template language: outputs and filters of Liquid, parsed by liquidjs. Tags (loops, conditions, files) do not exist, and
 * variables are attributes of the device, so a template has neither side effects nor a runtime that its text does not bound.
 */
import { type Filter, Output, type Template, TypeGuards } from 'liquidjs';
import { type Fact, factColumns } from '../../../targeting/device-facts.ts';
import { dateFormat } from './date-filter.ts';
import { engine, filterNames, VALUE_UNITS_MAX } from './filters.ts';
import { shortened } from './shorten.ts';

type Operand = { fact: Fact; path: readonly (string | number)[] } | { value: unknown };

interface Step {
  name: string;
  arguments: readonly Operand[];
}

/** A text, or a value that differs from device to device. */
export type Piece =
  | string
  | {
      initial: Operand;
      steps: readonly Step[];
      charactersMax: number;
      /** Replaces the text that is cut off. */
      ending: string;
    };

/** Line and column count from 1. */
export class TemplateFault extends Error {
  constructor(problem: string, [line, column]: readonly number[]) {
    super(`has a fault in line ${line}, column ${column}: ${problem}`);
  }
}

/** Longer texts do not fit into a payload. */
const TEMPLATE_UNITS_MAX = 4_096;
/** The total length of a notification's texts with templates, in UTF-16 units. Parsing this much takes 50 ms. */
export const NOTIFICATION_UNITS_MAX = 32_768;
/** A value is cut after this many characters, unless `truncate` is its last filter. */
export const VALUE_CHARACTERS_MAX = 100;

/**
 * Recently parsed texts. Parsing costs 20 µs per output; a notification is compiled by its creation and by each slice,
 * and its translations have texts in common.
 */
const parsedTexts = new Map<string, readonly Piece[]>();
/** Twice the texts of the largest notification. */
const PARSED_UNITS_MAX = 2 * NOTIFICATION_UNITS_MAX;
let parsedUnits = 0;

/** @throws {TemplateFault} */
export function parseTemplate(text: string): readonly Piece[] {
  const known = parsedTexts.get(text);
  if (known !== undefined) return known;
  const pieces = piecesOf(text);
  parsedTexts.set(text, pieces);
  parsedUnits += text.length;
  for (const [oldest] of parsedTexts) {
    if (parsedUnits <= PARSED_UNITS_MAX) break;
    parsedTexts.delete(oldest);
    parsedUnits -= oldest.length;
  }
  return pieces;
}

function piecesOf(text: string): readonly Piece[] {
  if (text.length > TEMPLATE_UNITS_MAX) {
    throw new TemplateFault(`a template has at most ${TEMPLATE_UNITS_MAX} characters`, [1, 1]);
  }
  return parsed(text).map((template) => {
    if (TypeGuards.isHTMLToken(template.token)) return template.token.getContent();
    if (template instanceof Output) return pieceOf(template);
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
    return `there is no filter ${shortened(problem.slice('undefined filter: '.length), 50)}; there are ${[...filterNames].join(', ')}`;
  }
  return problem;
}

/** A position in the text. It is computed only for a fault, because that takes time in proportion to the text. */
type Position = () => readonly number[];

function pieceOf({ value: { initial, filters }, token }: Output): Exclude<Piece, string> {
  const position = () => token.getPosition();
  const [operand, ...others] = initial.postfix;
  if (operand === undefined || others.length > 0) {
    throw new TemplateFault('an output is one value with filters', position());
  }
  const encodedFrom = filters.findIndex(({ name }) => name === 'url_encode');
  const isEncoded = encodedFrom !== -1;
  const steps = filters.map((filter, index) =>
    stepOf(filter, { position, isEncoded: isEncoded && index > encodedFrom }),
  );
  const last = steps.at(-1);
  return {
    initial: operandOf(operand, position),
    steps,
    charactersMax: (last?.name === 'truncate' ? lengthOf(last) : undefined) ?? VALUE_CHARACTERS_MAX,
    ending: isEncoded ? '' : '…',
  };
}

function lengthOf({ arguments: [length] }: Step): number | undefined {
  return length !== undefined && 'value' in length && typeof length.value === 'number'
    ? Math.max(0, Math.floor(length.value))
    : undefined;
}

/** @throws {TemplateFault} if an argument has a fault that can be seen in the text */
function stepOf(
  { name, args }: Filter,
  { position, isEncoded }: { position: Position; isEncoded: boolean },
): Step {
  const operands = args.map((argument) => {
    if (!Array.isArray(argument)) return operandOf(argument, position);
    throw new TemplateFault(`the filter ${name} takes no named arguments here`, position());
  });
  const [first] = operands;
  const written = first !== undefined && 'value' in first ? first.value : undefined;
  if (name === 'truncate' && typeof written === 'number' && written > VALUE_UNITS_MAX) {
    throw new TemplateFault(`truncate takes a number up to ${VALUE_UNITS_MAX}`, position());
  }
  const ofFormat = name === 'date' && typeof written === 'string' ? dateFormat(written).fault : undefined;
  if (ofFormat !== undefined) throw new TemplateFault(ofFormat, position());
  return { name, arguments: name === 'truncate' && isEncoded ? withEnd(operands) : operands };
}

const TRUNCATE_CHARACTERS = 50;

/** By default nothing marks the cut: iOS would not open an address with a sign in it. */
function withEnd([characters = { value: TRUNCATE_CHARACTERS }, end = { value: '' }]: readonly Operand[]) {
  return [characters, end];
}

function operandOf(token: unknown, position: Position): Operand {
  if (TypeGuards.isQuotedToken(token)) {
    if (token.content.length <= VALUE_UNITS_MAX) return { value: token.content.toWellFormed() };
    throw new TemplateFault(`a text in quotes has at most ${VALUE_UNITS_MAX} characters`, position());
  }
  if (TypeGuards.isNumberToken(token)) return { value: token.content };
  if (TypeGuards.isLiteralToken(token) && typeof token.content === 'boolean') return { value: token.content };
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) {
    throw new TemplateFault('a value is device.<attribute>, custom.<name>, a text or a number', position());
  }
  const [root, name, ...path] = token.props.map((piece) => {
    if (TypeGuards.isWordToken(piece) || TypeGuards.isQuotedToken(piece) || TypeGuards.isNumberToken(piece)) {
      return piece.content;
    }
    throw new TemplateFault('brackets contain a text or a number', position());
  });
  if (root === 'custom' && typeof name === 'string') return { fact: { custom: name }, path };
  const column = factColumns.find((known) => known === name);
  if (root === 'device' && column !== undefined && path.length === 0) return { fact: { column }, path };
  if (root === 'device') {
    const known = factColumns.join(', ');
    throw new TemplateFault(`device has no attribute ${name ?? ''}; it has ${known}`, position());
  }
  throw new TemplateFault(`${root ?? ''} is not known; use device.<attribute> or custom.<name>`, position());
}
