/** Lists the texts that the criteria of a filter select in its column. */
import { localeSpellings } from '../locale/spellings.ts';
import type { Filter } from './filter.ts';

/** The canonical form keeps the criteria as they are, so the audience stays the same. */
export function storedTexts({ column, criteria }: Extract<Filter, { kind: 'text' }>): readonly string[] {
  return column === 'locale' ? [...new Set(criteria.flatMap(localeSpellings))] : criteria;
}
