import type { Filter } from '../../src/filters/filter.ts';
import { parseFilters } from '../../src/filters/filter-schema.ts';
import { stringifyJson } from '../../src/json/lossless.ts';

/** Parses JSON that must be valid filters. */
export function parsed(list: unknown): readonly Filter[] {
  const result = parseFilters(list, 'to');
  if (!result.ok) throw new Error(`${stringifyJson(list)}: ${stringifyJson(result.faults)}`);
  return result.filters;
}
