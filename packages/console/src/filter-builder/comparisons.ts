/** The comparisons that a criterion can be: a reader chooses one by its words, and lists write the same words. */
import { isObject, type Kind, numberText } from './language.ts';
import { amountWords, momentWords, stepOf } from './math-date.ts';

type Operand = 'number' | 'version' | 'date';

/** An event has comparisons of its count, and of its last time. */
export interface Comparison {
  of: Operand;
  /** 'is at least', before the value. */
  label: string;
  /** 'times', after the value. */
  after: string;
  /** With what it begins. A criterion of the same form is this comparison. */
  example: unknown;
}

type Words = readonly [words: string, example: unknown, after?: string];

function comparisonsOf(of: Operand, subject: string, all: readonly Words[]): Comparison[] {
  return all.map(([words, example, after = '']) => ({
    of,
    label: `${subject} ${words}`.trim(),
    after,
    example,
  }));
}

const numbers = (after = ''): Words[] => [
  ['at least', { gte: 1 }, after],
  ['more than', { gt: 1 }, after],
  ['at most', { lte: 1 }, after],
  ['less than', { lt: 1 }, after],
  ['between', { gte: 1, lt: 10 }, after],
];

const moments: readonly Words[] = [
  ['within the last', { gte: 'now-7d' }],
  ['longer ago than', { lt: 'now-30d' }],
  ['within the next', { gte: 'now', lt: 'now+7d' }],
  ['since', { gte: 'now-1M/d' }],
  ['after', { gt: 'now-1M/d' }],
  ['before', { lt: 'now-1M/d' }],
  ['up to', { lte: 'now-1M/d' }],
  ['between', { gte: 'now-1M/d', lt: 'now/d' }],
];

const comparisons: Readonly<Partial<Record<Kind, readonly Comparison[]>>> = {
  number: comparisonsOf('number', 'is', [['', 1], ...numbers()]),
  version: comparisonsOf('version', 'is', [
    ['at least', { gte: '1.0' }],
    ['above', { gt: '1.0' }],
    ['at most', { lte: '1.0' }],
    ['below', { lt: '1.0' }],
    ['between', { gte: '1.0', lt: '2.0' }],
    ['', '1.0'],
    ['the same version as', 1],
  ]),
  date: comparisonsOf('date', 'is', [...moments, ['on', new Date().toISOString().slice(0, 10), '(UTC)']]),
  event: [
    ...comparisonsOf('number', 'happened', [['', true], ['exactly', 1, 'times'], ...numbers('times')]),
    ...comparisonsOf('date', 'last happened', moments),
  ],
};

export function comparisonsFor(kind: Kind): readonly Comparison[] {
  return comparisons[kind] ?? [];
}

/** The bounds of a range with their keys, the lower one first; a single value has the key ''. */
export function boundsOf(criterion: unknown): readonly (readonly [key: string, bound: unknown])[] {
  if (!isObject(criterion)) return [['', criterion]];
  return Object.entries(criterion).sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * @param chosen stays while its value is written, even if the value would also suit another comparison
 * @returns undefined if only the JSON of the criterion can be changed
 */
export function comparisonOf(kind: Kind, criterion: unknown, chosen?: Comparison): Comparison | undefined {
  const of = operandOf(kind, criterion);
  const alike = comparisonsFor(kind).filter(
    (one) => one.of === of && formOf(kind, one.example) === formOf(kind, criterion),
  );
  if (chosen && alike.includes(chosen) && stepsOf(chosen.example) === undefined) return chosen;
  return alike.find(({ example }) => of !== 'date' || stepsOf(example)?.kind === stepsOf(criterion)?.kind);
}

function operandOf(kind: Kind, criterion: unknown): Operand {
  if (kind === 'version' || kind === 'date') return kind;
  const isText = isObject(criterion) && Object.values(criterion).some((bound) => typeof bound === 'string');
  return kind === 'event' && isText ? 'date' : 'number';
}

function formOf(kind: Kind, criterion: unknown): string {
  if (criterion === true) return 'true';
  const keys = boundsOf(criterion).map(([key]) => key);
  const [first = '', second] = keys;
  if (first === '') return kind === 'version' && typeof criterion !== 'string' ? 'number' : 'value';
  return keys.length === 2 && first < 'h' && second?.startsWith('l') ? 'pair' : keys.join(' ');
}

/** @returns the step of a range that is counted from now, with the key that has it */
export function stepsOf(criterion: unknown) {
  if (!isObject(criterion)) return undefined;
  const { gte, lt, ...others } = criterion;
  const [from, to] = [stepOf(gte), stepOf(lt)];
  if (Object.keys(others).length > 0) return undefined;
  if (lt === undefined && from?.sign === '-') return { kind: 'last', key: 'gte', step: from };
  if (gte === undefined && to?.sign === '-') return { kind: 'ago', key: 'lt', step: to };
  return gte === 'now' && to?.sign === '+' ? { kind: 'next', key: 'lt', step: to } : undefined;
}

/** The criterion that a comparison begins with; it keeps the previous value if that makes sense. */
export function begin({ of, example }: Comparison, before: unknown): unknown {
  const value = boundsOf(before).find(([, bound]) => isOf(bound, of))?.[1];
  if (value === undefined || example === true || stepsOf(example) !== undefined) return example;
  if (isObject(example)) return { ...example, [boundsOf(example)[0]?.[0] ?? '']: value };
  if (of === 'version' && typeof example === 'number') return Number(value) || example;
  return of === 'date' ? example : value;
}

function isOf(value: unknown, of: Operand): boolean {
  if (of === 'number') return numberText(value) !== undefined;
  return typeof value === 'string' && (of === 'version' || (value !== 'now' && stepOf(value) === undefined));
}

/** A criterion in the words after its subject: 'is at least 3', 'happened exactly 2 times'. */
export function comparisonWords(kind: Kind, criterion: unknown): string {
  const whole = comparisonOf(kind, criterion);
  const steps = stepsOf(criterion);
  if (criterion === true && whole !== undefined) return whole.label;
  if (steps !== undefined && whole?.of === 'date') return `${whole.label} ${amountWords(steps.step)}`;
  const of = operandOf(kind, criterion);
  const parts = boundsOf(criterion).map(([key, bound]) => {
    const one = comparisonsFor(kind).find(
      ({ of: operand, example }) =>
        operand === of &&
        stepsOf(example) === undefined &&
        formOf(kind, example) === formOf(kind, key === '' ? bound : { [key]: bound }),
    );
    return one && { label: one.label, after: one.after, words: boundWords(bound, of) };
  });
  const [first] = parts;
  if (first === undefined || parts.includes(undefined)) return unreadable(criterion);
  const all = parts.map((part, index) => {
    const { label = '', words = '' } = part ?? {};
    return `${index === 0 ? label : label.replace(/^(?:is|(?:last )?happened) /, '')} ${words}`;
  });
  return `${all.join(' and ')} ${first.after}`.trim();
}

function boundWords(bound: unknown, of: Operand): string {
  if (typeof bound === 'string') return of === 'date' ? momentWords(bound) : quoted(bound);
  return numberText(bound) ?? unreadable(bound);
}

/** Quotes a text that is empty, or has quotes or unusual spaces in it: without quotes a reader could not see where it ends. */
export function quoted(text: string): string {
  return /^[^\s"]+(?: [^\s"]+)*$/.test(text) ? text : JSON.stringify(text);
}

export function unreadable(criterion: unknown): string {
  return criterion === null || criterion === undefined ? '…' : JSON.stringify(criterion);
}
