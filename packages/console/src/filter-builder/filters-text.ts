/** Filters as text: in the address of a page, and in the JSON view. */
import { parseExact } from '../frame/api.ts';
import { type FilterJson, isObject } from './language.ts';

/** Longer filters are not put in an address, because servers and browsers limit its length. */
export const ADDRESS_CHARACTERS_MAX = 6_000;

/** Checks only what the builder needs to show them; the API says whether a filter is valid. */
export function readFilters(text: string): { filters?: readonly FilterJson[]; fault?: string } {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!Array.isArray(value)) return { fault: 'This must be a list of filters: […]' };
  return value.every(isFilter)
    ? { filters: value }
    : { fault: 'Each filter must be an object: {"name", "criteria", "not_filter"}' };
}

function isFilter(value: unknown): value is FilterJson {
  if (!isObject(value)) return false;
  const { name, criteria, not_filter: not = false, ...others } = value;
  const isKnown = Object.keys(others).length === 0;
  return isKnown && typeof name === 'string' && Array.isArray(criteria) && typeof not === 'boolean';
}

/** On one line, for an address and for a request. @param indent for people: 2 */
export function writeFilters(filters: readonly FilterJson[], indent?: number): string {
  // `not_filter` is left out if it is false, which is the default.
  const plain = filters.map(({ name, criteria, not_filter: not = false }) => ({
    name,
    criteria,
    ...(not && { not_filter: true }),
  }));
  return JSON.stringify(plain, null, indent);
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
