/** Edits a list of filters, one card per filter. The filters themselves are the state: what is not valid yet stays as it is written. */
import { useRef } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { Icon } from '../kit/icon.tsx';
import type { FilterJson } from './language.ts';
import { faultsBelow, type Fault } from './faults.ts';
import type { FilterCount } from '../replies.ts';
import { FilterCard } from './filter-card.tsx';
import { useListKeys } from './list-keys.ts';

const FILTERS_MAX = 50;

export function FilterBuilder(props: {
  filters: readonly FilterJson[];
  onChange: (filters: readonly FilterJson[]) => void;
  faults?: readonly Fault[];
  /** The counts of each filter, in order; undefined while they are not known. */
  counts?: readonly FilterCount[] | undefined;
}): Content {
  const { filters, onChange, faults = [], counts } = props;
  const keys = useListKeys(filters.length);
  const list = useRef<HTMLOListElement>(null);
  const change = (index: number, filter: FilterJson): void => {
    onChange(filters.map((one, place) => (place === index ? filter : one)));
  };
  const remove = (index: number): void => {
    keys.remove(index);
    onChange(filters.filter((_, place) => place !== index));
    list.current?.parentElement?.querySelector<HTMLElement>('.filter-add')?.focus();
  };
  const add = (): void => onChange([...filters, { name: 'tags', criteria: [] }]);
  return (
    <section class="filter-builder" aria-label="Filters">
      <ol ref={list}>
        {filters.map((filter, index) => (
          <FilterCard
            key={keys.of(index)}
            filter={filter}
            number={index + 1}
            faults={faultsBelow(faults, `[${index}]`)}
            counts={counts?.[index]}
            onChange={(changed) => change(index, changed)}
            onRemove={() => remove(index)}
          />
        ))}
      </ol>
      <button
        type="button"
        class="filter-add"
        disabled={filters.length >= FILTERS_MAX}
        title={filters.length >= FILTERS_MAX ? `A list has ${FILTERS_MAX} filters at most` : undefined}
        onClick={add}>
        <Icon name="plus" />
        {filters.length === 0 ? 'Add a filter' : 'And another filter'}
      </button>
    </section>
  );
}
