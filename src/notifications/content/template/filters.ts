/**
 * The filters of templates. Most are Liquid's own; filters of Liquid that would cut a character in two, or do more work
 * than their result needs, are written here. The values that a filter gets and returns have a limit.
 */
import { Context, Liquid } from 'liquidjs';
import { dateFormat, minutesBehind, momentOf, ZONE_WORK } from './date-filter.ts';
import { beginningOf, outsideEncoded, shortened, unitsOf } from './shorten.ts';
import { STEP_WORK, type Work } from './work.ts';

/** The longest text that a filter gets and returns, in UTF-16 units. Not even 1,300 characters with four bytes fit in a push. */
export const VALUE_UNITS_MAX = 2_000;

/** Filters that evaluate expressions, build lists of lists or choose at random are left out. */
const FILTERS =
  'default upcase downcase capitalize strip lstrip rstrip squish truncate append prepend remove remove_first slice split ' +
  'join first last size round floor ceil abs plus minus times divided_by modulo at_least at_most date url_encode';
export const filterNames: ReadonlySet<string> = new Set(FILTERS.split(' '));

/** Filters that take a list as it is; the others get its text. */
const TAKE_LISTS: ReadonlySet<string> = new Set(['default', 'slice', 'join', 'first', 'last', 'size']);
/** Liquid compares each character with the set of characters in the argument. */
const STRIPS: ReadonlySet<string> = new Set(['strip', 'lstrip', 'rstrip']);
const STRIP_FACTOR = 4;

export const engine = openEngine();
/** Liquid's filters expect this as `this`. */
const self = { context: new Context({}, engine.options, { sync: true }), liquid: engine };

function openEngine(): Liquid {
  const liquid = new Liquid({ strictFilters: true, ownPropertyOnly: true, templates: {} });
  for (const name of Object.keys(liquid.tags)) delete liquid.tags[name];
  for (const name of Object.keys(liquid.filters)) {
    if (!filterNames.has(name)) liquid.unregisterFilter(name);
  }
  const liquidDate = handlerOf(liquid, 'date');
  const liquidSplit = handlerOf(liquid, 'split');
  liquid.registerFilter('truncate', truncate);
  liquid.registerFilter('slice', slice);
  liquid.registerFilter('join', (value: unknown, separator: unknown = ' ') =>
    joined(value, textOf(separator)),
  );
  liquid.registerFilter('first', (value: unknown) => (isList(value) ? value[0] : firstCharacter(value)));
  liquid.registerFilter('last', (value: unknown) => (isList(value) ? value.at(-1) : lastCharacter(value)));
  liquid.registerFilter('split', function split(value: unknown, separator: unknown): unknown {
    return separator === ''
      ? Array.from(textOf(value))
      : Reflect.apply(liquidSplit, this, [value, separator]);
  });
  liquid.registerFilter('date', function date(value: unknown, format: unknown, zone: unknown): unknown {
    const moment = momentOf(value);
    if (moment === undefined) return value;
    const written = writtenFormat(format);
    const { fault, showsZone } = dateFormat(written);
    if (fault !== undefined) throw new Error(fault);
    const offset = typeof zone === 'string' && !showsZone ? minutesBehind(zone, moment) : zone;
    return Reflect.apply(liquidDate, this, [moment, written, offset]);
  });
  return liquid;
}

function handlerOf(liquid: Liquid, name: string) {
  const filter = liquid.filters[name];
  if (filter === undefined) throw new Error(`no filter ${name}`);
  return typeof filter === 'function' ? filter : filter.handler;
}

/**
 * Applies a filter.
 * @returns a text of at most `VALUE_UNITS_MAX`, a list of a value or of parts of a text, or another value
 * @throws the filter's error, such as that of a date format with a fault, or if there is too much work
 */
export function applyFilter(name: string, given: unknown, operands: readonly unknown[], work: Work): unknown {
  const value = isList(given) && !TAKE_LISTS.has(name) ? joined(given, '') : given;
  const values = name === 'default' || !operands.some(isList) ? operands : operands.map(withoutList);
  work.spend(workOf(name, value, values));
  const result: unknown = Reflect.apply(handlerOf(engine, name), self, [value, ...values]);
  if (typeof result !== 'string') return result;
  work.spend(result.length);
  return beginningOf(result, VALUE_UNITS_MAX);
}

function workOf(name: string, value: unknown, values: readonly unknown[]): number {
  let units = STEP_WORK + sizeOf(value);
  for (const operand of values) units += sizeOf(operand);
  if (STRIPS.has(name)) return values.length === 0 ? units : STRIP_FACTOR * units;
  if (name !== 'date') return units;
  const [format, zone] = values;
  return units + dateFormat(writtenFormat(format)).work + (zone === undefined ? 0 : ZONE_WORK);
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || isList(value) ? value.length : 0;
}

function writtenFormat(format: unknown): string {
  return format === undefined || format === null ? engine.options.dateFormat : textOf(format);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function withoutList(value: unknown): unknown {
  return isList(value) ? joined(value, '') : value;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** @returns the texts of a list, as many as fit into `VALUE_UNITS_MAX`; otherwise the text of the value */
export function joined(
  value: unknown,
  separator: string,
  elementText: (element: unknown) => string = textOf,
): string {
  if (!isList(value)) return value === undefined || value === null ? '' : elementText(value);
  let text = '';
  for (const [index, element] of value.entries()) {
    text += (index === 0 ? '' : separator) + elementText(element ?? '');
    if (text.length > VALUE_UNITS_MAX) break;
  }
  return beginningOf(text, VALUE_UNITS_MAX);
}

function truncate(value: unknown, characters: unknown = 50, end: unknown = '…'): unknown {
  if (typeof value !== 'string' || typeof end !== 'string') return value;
  return shortened(value, Math.max(0, Math.floor(Number(characters)) || 0), end);
}

/** Cuts between characters; Liquid's own filter may cut an encoded one (`%C3%BC`) in two. */
function slice(value: unknown, begin: unknown, length: unknown = 1): unknown {
  const count = Number(length) || 0;
  const from = Number(begin) || 0;
  if (isList(value)) {
    const first = from < 0 ? value.length + from : from;
    return first < 0 || count < 0 ? [] : value.slice(first, first + count);
  }
  const text = textOf(value);
  const first = from < 0 ? Array.from(text).length + from : from;
  if (first < 0 || count < 0) return '';
  const [start, end] = [unitsOf(text, first), unitsOf(text, first + count)];
  return text.slice(outsideEncoded(text, start), outsideEncoded(text, end));
}

function firstCharacter(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, unitsOf(value, 1)) : '';
}

function lastCharacter(value: unknown): string {
  return typeof value === 'string' ? (Array.from(value.slice(-2)).at(-1) ?? '') : '';
}
