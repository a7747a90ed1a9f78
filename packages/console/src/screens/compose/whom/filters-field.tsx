/** The filters of a target. */
import { FilterBuilder } from '../../../filter-builder/filter-builder.tsx';
import { areComplete, readFilters } from '../../../filter-builder/filters-text.ts';
import type { Content } from '../../../kit/content.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

export function FiltersField(props: {
  filters: readonly unknown[];
  refusal: Refusal | undefined;
  set: (to: unknown) => void;
}): Content {
  const { filters, refusal, set } = props;
  const read = readFilters(JSON.stringify(filters));
  if (read.filters === undefined) {
    return <p class="fault">These filters can be changed only as JSON. {read.fault}</p>;
  }
  return (
    <FilterBuilder
      filters={read.filters}
      faults={areComplete(read.filters) ? faultsOf(refusal) : []}
      onChange={(changed) => set(changed)}
    />
  );
}

const LIST = /^notification\.to(?=\[)/;

function faultsOf(refusal: Refusal | undefined): { path: string; message: string }[] {
  return (refusal?.details ?? [])
    .filter(({ path }) => LIST.test(path))
    .map(({ path, message }) => ({ path: path.replace(LIST, ''), message }));
}
