/** The texts in the column of a filter that its criteria select. */
import { localeSpellings } from '../locale/spellings.ts';
import type { Filter } from './filter.ts';

/** The canonical form keeps the criteria as they are, so an audience stays the same one. */
export function storedTexts({ column, criteria }: Extract<Filter, { kind: 'text' }>): readonly string[] {
  return column === 'locale' ? [...new Set(criteria.flatMap(localeSpellings))] : criteria;
}
