/** Edits a list of filters, a line per filter. The filters themselves are the state: what is not valid yet stays as it is written. */
import { useRef, useState } from 'preact/hooks';
import type { FilterCount } from '../replies.ts';
import { AddFilter } from './add-filter.tsx';
import { type Fault, faultsBelow } from './faults.tsx';
import { FilterLine } from './filter-line.tsx';
import { areComplete } from './filters-text.ts';
import type { FilterJson } from './language.ts';

const FILTERS_MAX = 50;

export function FilterBuilder(props: {
  filters: readonly FilterJson[];
  onChange: (filters: readonly FilterJson[]) => void;
  faults: readonly Fault[];
  counts?: readonly FilterCount[] | undefined;
}) {
  const { filters, onChange, faults, counts } = props;
  const frame = useRef<HTMLElement>(null);
  /** The line that is open: the first one whose value is missing when the page is opened, or one that was just added. */
  const [open, setOpen] = useState(() => filters.findIndex((filter) => !areComplete([filter])));
  const remove = (index: number): void => {
    setOpen(open === index ? -1 : open > index ? open - 1 : open);
    onChange(filters.toSpliced(index, 1));
    frame.current?.querySelector<HTMLElement>('.filter-add > button')?.focus();
  };
  const isFull = filters.length >= FILTERS_MAX;
  return (
    <section ref={frame} class="stack filter-builder" aria-label="Filters">
      {filters.length > 0 && (
        <ol class="filter-lines">
          {filters.map((filter, index) => (
            <FilterLine
              key={index}
              filter={filter}
              number={index + 1}
              faults={faultsBelow(faults, `[${index}]`)}
              counts={counts?.[index]}
              isOpen={open === index}
              setOpen={(isOpen) => setOpen(isOpen ? index : -1)}
              onChange={(changed) => onChange(filters.with(index, changed))}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      <AddFilter
        label={filters.length === 0 ? 'Add a filter' : 'And another filter'}
        disabled={isFull ? `A list has ${FILTERS_MAX} filters at most` : undefined}
        onAdd={(filter, isWhole) => {
          setOpen(isWhole ? -1 : filters.length);
          onChange([...filters, filter]);
        }}
      />
      <p class="hint">
        {filters.length === 0
          ? 'An audience is all devices that match every filter.'
          : 'A device must match all of them. For “or”, give one filter several values; for “but not”, leave its devices out.'}
      </p>
    </section>
  );
}
