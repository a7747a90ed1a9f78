import type { Filter } from '../../src/audiences/filter.ts';
import { parseFilters } from '../../src/audiences/filter-schema.ts';
import { stringifyJson } from '../../src/json.ts';

/** The filters of JSON that must be right. */
export function parsed(list: unknown): readonly Filter[] {
  const result = parseFilters(list, 'to');
  if (!result.ok) throw new Error(`${stringifyJson(list)}: ${stringifyJson(result.faults)}`);
  return result.filters;
}
