/** Filters as text: in the address of a page, and in the JSON view. */
import { parseExact } from '../frame/api.ts';
import { type FilterJson, isObject } from './language.ts';

/** Longer filters are not put in an address, because servers and browsers limit its length. */
export const ADDRESS_CHARACTERS_MAX = 6_000;

export type ReadFilters =
  { filters: readonly FilterJson[]; fault?: never } | { filters?: never; fault: string };

/** Checks only what the builder needs to show them; the API says whether a filter is valid. */
export function readFilters(text: string): ReadFilters {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!Array.isArray(value)) return { fault: 'This must be a list of filters: […]' };
  const filters = value.filter(isFilter);
  return filters.length === value.length
    ? { filters }
    : { fault: 'Each filter must be an object: {"name", "criteria", "not_filter"}' };
}

function isFilter(value: unknown): value is FilterJson {
  if (!isObject(value)) return false;
  const { name, criteria, not_filter: not = false } = value;
  const isKnown = Object.keys(value).every((key) => ['name', 'criteria', 'not_filter'].includes(key));
  return isKnown && typeof name === 'string' && Array.isArray(criteria) && typeof not === 'boolean';
}

/** On one line, for an address and for a request. */
export function writeFilters(filters: readonly FilterJson[]): string {
  return JSON.stringify(filters.map(plain));
}

/** Indented, for people. */
export function showFilters(filters: readonly FilterJson[]): string {
  return JSON.stringify(filters.map(plain), null, 2);
}

/** Leaves out `not_filter` if it is false, which is the default. */
function plain({ name, criteria, not_filter: not = false }: FilterJson): FilterJson {
  return not ? { name, criteria, not_filter: true } : { name, criteria };
}

/** Whether each filter has all of its values, so that a call is worthwhile. */
export function areComplete(filters: readonly FilterJson[]): boolean {
  return filters.length > 0 && filters.every(isComplete);
}

function isComplete({ name, criteria }: FilterJson): boolean {
  return !/^(?:events|custom\.[a-z]+)\.$/.test(name) && criteria.length > 0 && !criteria.some(hasGap);
}

function hasGap(criterion: unknown): boolean {
  if (criterion === null) return true;
  if (Array.isArray(criterion)) return criterion.some(hasGap);
  return isObject(criterion) && Object.values(criterion).some(hasGap);
}
