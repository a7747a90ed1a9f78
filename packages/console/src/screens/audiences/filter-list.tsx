/** Filters as sentences, one a line, and a map of those that are about places. */
import { Counts, Sentence } from '../../filter-builder/filter-line.tsx';
import type { FilterJson } from '../../filter-builder/language.ts';
import { describe, shapeOf } from '../../filter-builder/language.ts';
import { ShownPlaces } from '../../filter-builder/map/place-criteria.tsx';
import type { Content } from '../../kit/content.ts';
import type { FilterCount } from '../../replies.ts';

export function FilterList(props: {
  filters: readonly FilterJson[];
  counts: readonly FilterCount[] | undefined;
}): Content {
  const { filters, counts } = props;
  return (
    <ol class="filter-lines audience-filters">
      {filters.map((filter, index) => {
        const counted = counts?.[index];
        const hasMap =
          describe(filter.name).kind === 'place' && filter.criteria.some((one) => shapeOf(one) !== undefined);
        return (
          <li key={index}>
            <div class="filter-line">
              <span class="filter-sentence">
                <Sentence filter={filter} />
              </span>
              {counted !== undefined && <Counts counts={counted} isFirst={index === 0} />}
            </div>
            {hasMap && <ShownPlaces criteria={filter.criteria} />}
          </li>
        );
      })}
    </ol>
  );
}
