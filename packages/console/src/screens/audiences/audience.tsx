/** What the screens of stored audiences show of one: its name, and its filters. */
import { Counts, Sentence } from '../../filter-builder/filter-line.tsx';
import { describe, type FilterJson } from '../../filter-builder/language.ts';
import { shapesOf, ShownPlaces } from '../../filter-builder/map/place-map.tsx';
import { filtersWords } from '../../filter-builder/words.ts';
import type { FilterCount } from '../../replies.ts';

interface Stored {
  id: string;
  name: string;
  filters: readonly FilterJson[] | null;
}

/** Whether a person named it, not the server. Only such an audience can be changed; the others belong to notifications. */
export function isNamed({ id, name, filters }: Stored): boolean {
  const isEveryone = filters?.length === 0;
  return !isEveryone && name !== `api_audience_${id.replaceAll('-', '').slice(-16)}`;
}

/** @returns its name; for one that a notification made, its filters in words */
export function nameOf(audience: Stored): string {
  return isNamed(audience) || audience.filters?.length === 0 ? audience.name : wordsOf(audience);
}

export function wordsOf({ filters }: Stored): string {
  return filters === null ? 'Many criteria' : filtersWords(filters);
}

/** Filters as sentences, one a line, and a map of those that are about places. */
export function FilterList(props: { filters: readonly FilterJson[]; counts?: readonly FilterCount[] | undefined }) {
  const { filters, counts } = props;
  return (
    <ol class="filter-lines audience-filters">
      {filters.map((filter, index) => (
        <li key={index}>
          <div class="filter-line">
            <span class="filter-sentence">
              <Sentence filter={filter} />
            </span>
            <Counts counts={counts?.[index]} isFirst={index === 0} />
          </div>
          {describe(filter.name).kind === 'place' && shapesOf(filter.criteria).length > 0 && (
            <ShownPlaces criteria={filter.criteria} />
          )}
        </li>
      ))}
    </ol>
  );
}
