/** Turns bounds on numbers, versions and times into intervals. The stricter bound wins; empty intervals are dropped. */
import { compareDecimals, type Decimal } from './decimal.ts';
import { compareVersions, type VersionKey } from './dotted-version.ts';
import {
  type Bounds,
  type DateCriterion,
  mapBounds,
  type NumberCriterion,
  type VersionCriterion,
} from './filter.ts';
import { evaluateMathDate } from './math-date.ts';

/** Never empty. A side is unbounded if its limit is undefined. */
export interface Interval<T> {
  lower: Limit<T> | undefined;
  upper: Limit<T> | undefined;
}

interface Limit<T> {
  value: T;
  inclusive: boolean;
}

type Compare<T> = (left: T, right: T) => number;

export function numberIntervals(criteria: readonly NumberCriterion[]): Interval<Decimal>[] {
  return criteria.flatMap((criterion) =>
    criterion.kind === 'number' ? [exactly(criterion.value)] : intervalOf(criterion.bounds, compareDecimals),
  );
}

/** The intervals of numbers and ranges. Strings have none: they are compared as text. */
export function versionIntervals(criteria: readonly VersionCriterion[]): Interval<VersionKey>[] {
  return criteria.flatMap((criterion) => {
    if (criterion.kind === 'text') return [];
    if (criterion.kind === 'version') return [exactly(criterion.value.key)];
    return intervalOf(
      mapBounds(criterion.bounds, ({ key }) => key),
      compareVersions,
    );
  });
}

/** @returns intervals in milliseconds since 1970, with math-dates evaluated at `now` */
export function dateIntervals(criteria: readonly DateCriterion[], now: Date): Interval<number>[] {
  return criteria
    .flatMap((criterion) => intervalOf(dateBounds(criterion, now), (left, right) => left - right))
    .flatMap(withoutInfinity);
}

function exactly<T>(value: T): Interval<T> {
  return { lower: { value, inclusive: true }, upper: { value, inclusive: true } };
}

function dateBounds(criterion: DateCriterion, now: Date): Bounds<number> {
  if (criterion.kind === 'date') return { gte: criterion.startMs, lt: criterion.endMs };
  return mapBounds(criterion.bounds, (date) => evaluateMathDate(date, now));
}

/** @returns one interval, or none if no value satisfies the bounds */
function intervalOf<T>({ gt, gte, lt, lte }: Bounds<T>, compare: Compare<T>): Interval<T>[] {
  const lower = stricter(gt, gte, compare);
  const upper = stricter(lt, lte, (left, right) => compare(right, left));
  if (lower !== undefined && upper !== undefined) {
    const order = compare(lower.value, upper.value);
    if (order > 0 || (order === 0 && !(lower.inclusive && upper.inclusive))) return [];
  }
  return [{ lower, upper }];
}

/** @returns the stricter of an exclusive and an inclusive limit; the exclusive one if the values are equal */
function stricter<T>(
  exclusive: T | undefined,
  inclusive: T | undefined,
  compare: Compare<T>,
): Limit<T> | undefined {
  if (inclusive === undefined || (exclusive !== undefined && compare(exclusive, inclusive) >= 0)) {
    return exclusive === undefined ? undefined : { value: exclusive, inclusive: false };
  }
  return { value: inclusive, inclusive: true };
}

/** Dates of devices are finite, so an infinite limit admits either all dates or none. */
function withoutInfinity({ lower, upper }: Interval<number>): Interval<number>[] {
  if (lower?.value === Infinity || upper?.value === -Infinity) return [];
  return [
    {
      lower: lower?.value === -Infinity ? undefined : lower,
      upper: upper?.value === Infinity ? undefined : upper,
    },
  ];
}
