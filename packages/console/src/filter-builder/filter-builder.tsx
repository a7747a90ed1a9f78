/** Edits a list of filters, a line per filter. The filters themselves are the state: what is not valid yet stays as it is written. */
import { useRef, useState } from 'preact/hooks';
import type { Content } from '../kit/content.ts';
import { AddFilter } from './add-filter.tsx';
import { areComplete } from './filters-text.ts';
import type { FilterJson } from './language.ts';
import { faultsBelow, type Fault } from './faults.tsx';
import type { FilterCount } from '../replies.ts';
import { FilterLine } from './filter-line.tsx';
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
  const frame = useRef<HTMLElement>(null);
  const [open, setOpen] = useOpen(filters, keys.of);
  const remove = (index: number): void => {
    keys.remove(index);
    onChange(filters.toSpliced(index, 1));
    frame.current?.querySelector<HTMLElement>('.filter-add > button')?.focus();
  };
  const isFull = filters.length >= FILTERS_MAX;
  return (
    <section ref={frame} class="filter-builder" aria-label="Filters">
      {filters.length > 0 && (
        <ol class="filter-lines">
          {filters.map((filter, index) => {
            const key = keys.of(index);
            return (
              <FilterLine
                key={key}
                filter={filter}
                number={index + 1}
                faults={faultsBelow(faults, `[${index}]`)}
                counts={counts?.[index]}
                isOpen={open === key}
                setOpen={(isOpen) => setOpen(isOpen ? key : undefined)}
                onChange={(changed) => onChange(filters.with(index, changed))}
                onRemove={() => remove(index)}
              />
            );
          })}
        </ol>
      )}
      <AddFilter
        label={filters.length === 0 ? 'Add a filter' : 'And another filter'}
        disabled={isFull ? `A list has ${FILTERS_MAX} filters at most` : undefined}
        onAdd={(filter) => onChange([...filters, filter])}
      />
      {filters.length === 0 ? (
        <p class="hint">An audience is all devices that match every filter.</p>
      ) : (
        <p class="hint">
          A device must match all of them. For “or”, give one filter several values; for “but not”, leave its devices
          out.
        </p>
      )}
    </section>
  );
}

/** Which line is open: one that has just been added, or the first one whose value is missing when the page is opened. */
function useOpen(
  filters: readonly FilterJson[],
  keyOf: (index: number) => number,
): [number | undefined, (key: number | undefined) => void] {
  const [open, setOpen] = useState<number | undefined>(() => {
    const index = filters.findIndex((filter) => !areComplete([filter]));
    return index === -1 ? undefined : keyOf(index);
  });
  const before = useRef(filters.length);
  const added = filters[before.current];
  if (filters.length === before.current + 1 && added !== undefined && !isWhole(added)) setOpen(keyOf(before.current));
  before.current = filters.length;
  return [open, setOpen];
}

/** A tag that was found by its own name says everything already. */
function isWhole({ name, criteria }: FilterJson): boolean {
  return name === 'tags' && criteria.length > 0;
}
