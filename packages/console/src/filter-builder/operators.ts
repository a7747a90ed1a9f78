/**
 * The comparisons of a criterion: finds the comparison of a criterion, and the criterion that a comparison begins with.
 */
import { isObject, type Kind, numberText } from './language.ts';
import { stepOf } from './math-date.ts';

export type BoundKey = 'gt' | 'gte' | 'lt' | 'lte';
type RangeKind = 'number' | 'version' | 'date';
/** `is`: equal; `same`: the same version however it is written; `json`: only its JSON can be changed. */
export type Operator = 'happened' | 'is' | 'same' | 'last' | 'ago' | 'next' | BoundKey | 'between' | 'json';

/** A comparison that a reader can choose. An event has comparisons of its count and of its last time. */
export interface Choice {
  operator: Operator;
  of: RangeKind;
  label: string;
}

const NUMBERS = choicesOf('number', [
  ['is', 'is'],
  ['gte', 'is at least'],
  ['gt', 'is more than'],
  ['lte', 'is at most'],
  ['lt', 'is less than'],
  ['between', 'is between'],
]);

const VERSIONS = choicesOf('version', [
  ['gte', 'is at least'],
  ['gt', 'is above'],
  ['lte', 'is at most'],
  ['lt', 'is below'],
  ['between', 'is between'],
  ['is', 'is exactly the text'],
  ['same', 'is, however written'],
]);

const MOMENTS = choicesOf('date', [
  ['last', 'is within the last'],
  ['ago', 'is longer ago than'],
  ['next', 'is within the next'],
  ['gte', 'is since'],
  ['gt', 'is after'],
  ['lt', 'is before'],
  ['lte', 'is up to'],
  ['between', 'is between'],
]);

const CHOICES: Readonly<Partial<Record<Kind, readonly Choice[]>>> = {
  number: NUMBERS,
  version: VERSIONS,
  date: [...MOMENTS, { operator: 'is', of: 'date', label: 'is on the day or at' }],
  event: [
    { operator: 'happened', of: 'number', label: 'happened at all' },
    ...NUMBERS.map((choice) => prefixed(choice, 'number of times')),
    ...MOMENTS.map((choice) => prefixed(choice, 'last time')),
  ],
};

function choicesOf(of: RangeKind, labels: readonly (readonly [Operator, string])[]): Choice[] {
  return labels.map(([operator, label]) => ({ operator, of, label }));
}

function prefixed({ operator, of, label }: Choice, subject: string): Choice {
  return { operator, of, label: `${subject} ${label}` };
}

export function choicesFor(kind: Kind): readonly Choice[] {
  return CHOICES[kind] ?? [];
}

const LOWER: ReadonlySet<string> = new Set(['gt', 'gte']);
const UPPER: ReadonlySet<string> = new Set(['lt', 'lte']);

/** @returns the comparison that a criterion is; undefined if only its JSON can be changed */
export function choiceOf(kind: Kind, criterion: unknown): Choice | undefined {
  const choices = choicesFor(kind);
  const find = (operator: Operator, of: RangeKind): Choice | undefined =>
    choices.find((choice) => choice.operator === operator && choice.of === of);
  if (criterion === true) return find('happened', 'number');
  if (!isObject(criterion)) return find(singleOperator(kind, criterion), ofSingle(kind));
  const of = rangeKind(kind, criterion);
  const simple = of === 'date' ? simpleOperator(criterion) : undefined;
  if (simple !== undefined) return find(simple, of);
  const keys = Object.keys(criterion);
  const [first = ''] = keys;
  if (keys.length === 1) return choices.find(({ operator, of: one }) => operator === first && one === of);
  return isPair(keys) ? find('between', of) : undefined;
}

function isPair(keys: readonly string[]): boolean {
  return keys.length === 2 && keys.some((key) => LOWER.has(key)) && keys.some((key) => UPPER.has(key));
}

function singleOperator(kind: Kind, criterion: unknown): Operator {
  return kind === 'version' && typeof criterion !== 'string' ? 'same' : 'is';
}

function ofSingle(kind: Kind): RangeKind {
  return kind === 'version' || kind === 'date' ? kind : 'number';
}

function rangeKind(kind: Kind, range: Record<string, unknown>): RangeKind {
  if (kind === 'version' || kind === 'date') return kind;
  return kind === 'event' && Object.values(range).some((bound) => typeof bound === 'string')
    ? 'date'
    : 'number';
}

function simpleOperator({ gte, lt, ...others }: Record<string, unknown>): Operator | undefined {
  if (Object.keys(others).length > 0) return undefined;
  if (lt === undefined && stepOf(gte, '-') !== undefined) return 'last';
  if (gte === undefined && stepOf(lt, '-') !== undefined) return 'ago';
  return gte === 'now' && stepOf(lt, '+') !== undefined ? 'next' : undefined;
}

/** Whether the criterion has the form of this comparison; it may have the form of another one too. */
export function fits({ operator, of }: Choice, kind: Kind, criterion: unknown): boolean {
  if (!isObject(criterion) || rangeKind(kind, criterion) !== of) return false;
  const keys = Object.keys(criterion);
  if (operator === 'between') return isPair(keys);
  return keys.length === 1 && keys[0] === operator;
}

/** The criterion that a comparison begins with; it keeps the previous value if that makes sense. */
export function begin({ operator, of }: Choice, before: unknown): unknown {
  const value = valuesOf(before).find((one) => isOf(one, of));
  switch (operator) {
    case 'happened':
      return true;
    case 'last':
      return { gte: 'now-7d' };
    case 'ago':
      return { lt: 'now-30d' };
    case 'next':
      return { gte: 'now', lt: 'now+7d' };
    case 'is':
      if (of === 'number') return value ?? 1;
      if (of === 'date') return new Date().toISOString().slice(0, 10);
      return typeof value === 'string' ? value : '1.0';
    case 'same':
      return typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : 1;
    case 'between':
      return { gte: value ?? FIRST[of], lt: LAST[of] };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { [operator]: value ?? FIRST[of] };
    case 'json':
      return before;
  }
}

const FIRST = { number: 1, version: '1.0', date: 'now-1M/d' } as const;
const LAST = { number: 10, version: '2.0', date: 'now/d' } as const;

function valuesOf(criterion: unknown): unknown[] {
  return isObject(criterion) ? Object.values(criterion) : [criterion];
}

function isOf(value: unknown, of: RangeKind): boolean {
  if (of === 'number') return numberText(value) !== undefined;
  if (typeof value !== 'string') return false;
  return of === 'date' ? !/^now[+-]\d+[a-zA-Z]$/.test(value) && value !== 'now' : true;
}
