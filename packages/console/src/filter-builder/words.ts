/** Filters in words: for lists, explanations and the review before sending. */
import { describe, type FilterJson, isObject, numberText, permissions, shapeOf } from './language.ts';
import { shapeName } from './map/places.ts';
import { amountWords, momentWords, stepOf } from './math-date.ts';

const SHOWN_CRITERIA = 6;

/** 'locale is fr_FR or fr_CA, and tags is not muted'; 'all devices' for no filter */
export function filtersWords(filters: readonly FilterJson[]): string {
  return filters.length === 0 ? 'all devices' : filters.map(filterWords).join(', and ');
}

/** 'locale is fr_FR or fr_CA' */
function filterWords(filter: FilterJson): string {
  return `${subjectWords(filter.name)} ${conditionWords(filter)}`;
}

/** What the words of a filter say of its subject: 'is fr_FR or fr_CA', 'has not happened' */
export function conditionWords({ name, criteria, not_filter: not = false }: FilterJson): string {
  if (criteria.length === 0) return 'is …';
  const { kind } = describe(name);
  const shown = criteria.slice(0, SHOWN_CRITERIA).map((criterion) => criterionWords(name, criterion));
  const more = criteria.length - shown.length;
  const joined = (words: readonly string[]): string =>
    [...words, ...(more > 0 ? [`${more} more`] : [])].join(' or ');
  const all = joined(shown);
  if (name === 'tags') return `${not ? 'do not include' : 'include'} ${all}`;
  if (kind === 'permission') return `are ${not ? 'not ' : ''}${all}`;
  if (kind === 'text' || kind === 'boolean') return `${not ? 'is not' : 'is'} ${all}`;
  if (!not) return all;
  // With several, a single "not" would read as one of the first alone.
  if (criteria.length > 1) return `is none of: ${joined(shown.map((words) => words.replace(/^is /, '')))}`;
  return kind === 'event' ? `has not ${all}` : all.replace(/^is /, 'is not ');
}

/** 'locale', 'plan (text)', 'the event purchase' */
export function subjectWords(name: string): string {
  const described = describe(name);
  switch (described.family) {
    case 'attribute':
      return described.attribute.label;
    case 'custom':
      return `${described.attribute} (${described.type === 'string' ? 'text' : described.type})`;
    case 'event':
      return `the event ${described.event}`;
    case 'unknown':
      return name;
  }
}

/** One criterion, in the words after the subject: 'is at least 3', 'happened', 'is within 25 km of Lyon'. */
export function criterionWords(name: string, criterion: unknown): string {
  const { kind } = describe(name);
  switch (kind) {
    case 'text':
      return typeof criterion === 'string' ? quoted(criterion) : unreadable(criterion);
    case 'permission':
      return permissionWords(criterion) ?? unreadable(criterion);
    case 'boolean':
      return criterion === true ? 'true' : criterion === false ? 'false' : unreadable(criterion);
    case 'place':
      return placeWords(criterion);
    case 'event':
      return eventWords(criterion);
    case 'date':
      return isObject(criterion) ? `is ${rangeWords(criterion, dateBound)}` : `is ${dayWords(criterion)}`;
    case 'number':
    case 'version':
      if (isObject(criterion)) return `is ${rangeWords(criterion, plainBound)}`;
      return `is ${plainBound(criterion)}`;
    case undefined:
      return unreadable(criterion);
  }
}

function eventWords(criterion: unknown): string {
  if (criterion === true) return 'happened';
  if (!isObject(criterion)) return `happened ${plainBound(criterion)} times`;
  const isAboutTime = Object.values(criterion).some((bound) => typeof bound === 'string');
  return isAboutTime
    ? `last happened ${rangeWords(criterion, dateBound)}`
    : `happened ${rangeWords(criterion, plainBound)} times`;
}

const BOUNDS = [
  ['gt', 'more than', 'after'],
  ['gte', 'at least', 'since'],
  ['lt', 'less than', 'before'],
  ['lte', 'at most', 'up to'],
] as const;

function rangeWords(range: Record<string, unknown>, wordsOf: (bound: unknown) => string): string {
  const isDate = wordsOf === dateBound;
  const simple = isDate ? simpleRangeWords(range) : undefined;
  if (simple !== undefined) return simple;
  const bounds = BOUNDS.flatMap(([key, number, date]) =>
    Object.hasOwn(range, key) ? [`${isDate ? date : number} ${wordsOf(range[key])}`] : [],
  );
  return bounds.length === 0 ? 'nothing' : bounds.join(' and ');
}

/** The ranges that people use most: within the last days, longer ago, within the next days. */
function simpleRangeWords({ gte, lt, ...others }: Record<string, unknown>): string | undefined {
  if (Object.keys(others).length > 0) return undefined;
  const last = lt === undefined ? stepOf(gte, '-') : undefined;
  if (last !== undefined) return `within the last ${amountWords(last.amount, last.unit)}`;
  const ago = gte === undefined ? stepOf(lt, '-') : undefined;
  if (ago !== undefined) return `more than ${amountWords(ago.amount, ago.unit)} ago`;
  const next = gte === 'now' ? stepOf(lt, '+') : undefined;
  return next && `within the next ${amountWords(next.amount, next.unit)}`;
}

function placeWords(criterion: unknown): string {
  const shape = shapeOf(criterion);
  if (shape === undefined) return unreadable(criterion);
  const name = shapeName(shape);
  if (shape.kind === 'polygon') {
    return `is in an area of ${shape.points.length} corners${name === undefined ? '' : ` ${name}`}`;
  }
  const { center, distance, unit } = shape;
  return `is within ${distance} ${unit} ${name ?? `of ${center.latitude}, ${center.longitude}`}`;
}

function dateBound(bound: unknown): string {
  return typeof bound === 'string' ? momentWords(bound) : plainBound(bound);
}

function dayWords(criterion: unknown): string {
  if (typeof criterion !== 'string') return unreadable(criterion);
  return criterion.includes('T') ? `at ${criterion}` : `on ${criterion} (UTC)`;
}

function plainBound(bound: unknown): string {
  return numberText(bound) ?? (typeof bound === 'string' ? quoted(bound) : unreadable(bound));
}

/** The three permissions, as words after "notifications are". */
export const permissionLabels = {
  Enabled: 'allowed',
  Disabled: 'switched off',
  Unknown: 'not known',
} as const;

function permissionWords(criterion: unknown): string | undefined {
  const permission = permissions.find((one) => one === criterion);
  return permission && permissionLabels[permission];
}

/** Quotes a text that is empty, or has quotes or unusual spaces in it: without quotes a reader could not see where it ends. */
function quoted(text: string): string {
  return /^[^\s"]+(?: [^\s"]+)*$/.test(text) ? text : JSON.stringify(text);
}

function unreadable(criterion: unknown): string {
  return criterion === null || criterion === undefined ? '…' : JSON.stringify(criterion);
}
