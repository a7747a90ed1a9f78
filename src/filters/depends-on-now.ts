/** Finds filters that depend on the current time: the devices that they select change even if no data does. */
import type { Filter } from './filter.ts';
import type { MathDate } from './math-date.ts';

/** @returns true if any bound is a math-date with `now`, such as `now-1d/d`; `2026-01-31||+1M` is a fixed date */
export function dependsOnNow(filters: readonly Filter[]): boolean {
  return filters.some(({ criteria }) => criteria.some(criterionDependsOnNow));
}

function criterionDependsOnNow(criterion: Filter['criteria'][number]): boolean {
  if (typeof criterion !== 'object' || criterion.kind !== 'date_range') return false;
  const bounds: (MathDate | undefined)[] = Object.values(criterion.bounds);
  return bounds.some((bound) => bound?.anchor.kind === 'now');
}
