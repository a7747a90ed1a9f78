/** The filters that are being edited. The address has them, so that it can be sent to a colleague; longer ones are only in the page. */
import { useState } from 'preact/hooks';
import { ADDRESS_CHARACTERS_MAX, readFilters, writeFilters } from '../../filter-builder/filters-text.ts';
import type { FilterJson } from '../../filter-builder/language.ts';
import { place, setQuery } from '../../frame/router.ts';

export interface EditedFilters {
  filters: readonly FilterJson[];
  change: (filters: readonly FilterJson[]) => void;
  /** Why the address cannot be read. */
  fault: string | undefined;
}

/** @param first the filters that an address without any stands for */
export function useFilters(first: readonly FilterJson[]): EditedFilters {
  const written = place.value.query.get('filters');
  const [long, setLong] = useState<readonly FilterJson[] | undefined>(undefined);
  const read = written === null ? { filters: first } : readFilters(written);
  return {
    filters: long ?? read.filters ?? [],
    change(filters) {
      const text = writeFilters(filters);
      const isLong = text.length > ADDRESS_CHARACTERS_MAX;
      setLong(isLong ? filters : undefined);
      if (!isLong) setQuery({ filters: text === writeFilters(first) ? undefined : text });
    },
    fault: long === undefined ? read.fault : undefined,
  };
}
