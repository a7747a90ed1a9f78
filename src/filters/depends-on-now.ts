/** Whether the devices that filters select change while nothing is written, because the filters look at the time. */
import type { Filter } from './filter.ts';
import type { MathDate } from './math-date.ts';

/** @returns true where any bound is a math-date such as `now-1d/d`; a date that only does arithmetic is fixed */
export function dependsOnNow(filters: readonly Filter[]): boolean {
  return filters.some(({ criteria }) => criteria.some(criterionDependsOnNow));
}

function criterionDependsOnNow(criterion: Filter['criteria'][number]): boolean {
  if (typeof criterion !== 'object' || criterion.kind !== 'date_range') return false;
  const bounds: (MathDate | undefined)[] = Object.values(criterion.bounds);
  return bounds.some((bound) => bound?.anchor.kind === 'now');
}
