/** Filters as sentences, one a line, and a map of those that are about places. */
import { Counts, Sentence } from '../../filter-builder/filter-line.tsx';
import { describe, type FilterJson } from '../../filter-builder/language.ts';
import { shapesOf, ShownPlaces } from '../../filter-builder/map/place-map.tsx';
import type { FilterCount } from '../../replies.ts';

export function FilterList(props: { filters: readonly FilterJson[]; counts: readonly FilterCount[] | undefined }) {
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
