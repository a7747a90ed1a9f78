/** Compiles conditions that a value is in one of several intervals, in forms that an index can answer. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { anyOf } from './conditions.ts';
import { compareDecimals, type Decimal, decimalText, parseDecimal } from '../../filters/decimal.ts';
import type { VersionCriterion } from '../../filters/filter.ts';
import { type Interval, versionIntervals } from '../../filters/interval.ts';

/** Includes both ends. */
export interface Span<T> {
  from: T;
  to: T;
}

/** Up to this many intervals become comparisons. More are searched by bisection, which cannot use an index. */
const COMPARED_MAX = 8;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** @param column a smallint, integer or bigint */
export function compileIntegers(
  column: RawBuilder<unknown>,
  intervals: readonly Interval<Decimal>[],
): RawBuilder<SqlBool> {
  return compileSpans(column, 'int8', integerSpans(intervals));
}

/**
 * Compares the decimals with the shortest decimal text of the double, which is also its JSON text.
 * @param column a double precision
 */
export function compileDoubles(
  column: RawBuilder<unknown>,
  intervals: readonly Interval<Decimal>[],
): RawBuilder<SqlBool> {
  return compileSpans(column, 'float8', doubleSpans(intervals));
}

/** @returns the 64-bit integers inside the intervals, sorted */
export function integerSpans(intervals: readonly Interval<Decimal>[]): Span<bigint>[] {
  const spans = intervals.map(({ lower, upper }) => ({
    from: larger(
      INT64_MIN,
      lower && floor(lower.value) + (isWhole(lower.value) && lower.inclusive ? 0n : 1n),
    ),
    to: smaller(
      INT64_MAX,
      upper && floor(upper.value) - (isWhole(upper.value) && !upper.inclusive ? 1n : 0n),
    ),
  }));
  return disjoint(spans);
}

/** @returns the doubles inside the intervals, sorted */
export function doubleSpans(intervals: readonly Interval<Decimal>[]): Span<number>[] {
  const spans = intervals.map(({ lower, upper }) => ({
    from: lower === undefined ? -Infinity : doubleAtLeast(lower.value, lower.inclusive),
    to: upper === undefined ? Infinity : -doubleAtLeast(negated(upper.value), upper.inclusive),
  }));
  return disjoint(spans);
}

/** @param column an integer or bigint; @param intervals of whole numbers, such as milliseconds since 1970 */
export function compileWholes(
  column: RawBuilder<unknown>,
  intervals: readonly Interval<number>[],
): RawBuilder<SqlBool> {
  return compileSpans(column, 'int8', wholeSpans(intervals, 1n));
}

/** @param unit the factor from limits to values: 1,000 if limits are milliseconds and values microseconds */
export function wholeSpans(intervals: readonly Interval<number>[], unit: bigint): Span<bigint>[] {
  const inUnit = (limit: Interval<number>['lower']): Interval<Decimal>['lower'] =>
    limit && { value: { unscaled: BigInt(limit.value) * unit, scale: 0 }, inclusive: limit.inclusive };
  return integerSpans(intervals.map(({ lower, upper }) => ({ lower: inUnit(lower), upper: inUnit(upper) })));
}

/** @param column a timestamptz; @param intervals in milliseconds since 1970 */
export function compileMoments(
  column: RawBuilder<unknown>,
  intervals: readonly Interval<number>[],
): RawBuilder<SqlBool> {
  if (intervals.length > COMPARED_MAX) {
    return sql<SqlBool>`${column} <@ ${multirange(intervals, isoText)}::tstzmultirange`;
  }
  const conditions = intervals.map(({ lower, upper }) => {
    const from =
      lower && sql`${column} ${sql.raw(lower.inclusive ? '>=' : '>')} ${isoText(lower.value)}::timestamptz`;
    const to =
      upper && sql`${column} ${sql.raw(upper.inclusive ? '<=' : '<')} ${isoText(upper.value)}::timestamptz`;
    const bounds = [from, to].filter((bound) => bound !== undefined);
    return bounds.length === 0
      ? sql<SqlBool>`${column} is not null`
      : sql<SqlBool>`(${sql.join(bounds, sql` and `)})`;
  });
  return anyOf(conditions);
}

/**
 * Its form lets a partial index of the true values answer.
 * @param column a boolean
 */
export function compileFlag(column: RawBuilder<unknown>, criteria: readonly boolean[]): RawBuilder<SqlBool> {
  if (criteria.every((value) => value)) return sql<SqlBool>`${column}`;
  return criteria.includes(true) ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`not ${column}`;
}

/** @returns the text of a Postgres multirange: one bound value for any number of intervals, searched by bisection */
function multirange<T>(intervals: readonly Interval<T>[], toText: (value: T) => string): string {
  const ranges = intervals.map(({ lower, upper }) => {
    const from = lower === undefined ? '(' : `${lower.inclusive ? '[' : '('}"${toText(lower.value)}"`;
    const to = upper === undefined ? ')' : `"${toText(upper.value)}"${upper.inclusive ? ']' : ')'}`;
    return `${from},${to}`;
  });
  return `{${ranges.join(',')}}`;
}

/** @returns a multirange of `version_key`s, from the criteria that are not texts */
export function versionRanges(criteria: readonly VersionCriterion[]): RawBuilder<unknown> {
  const ranges = multirange(versionIntervals(criteria), (key) => `{${key.join(',')}}`);
  return sql`${ranges}::version_multirange`;
}

export function isoText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Single values become one list, for which an index can be used at any length. */
function compileSpans<T extends bigint | number>(
  column: RawBuilder<unknown>,
  type: 'int8' | 'float8',
  spans: readonly Span<T>[],
): RawBuilder<SqlBool> {
  const list = (values: readonly T[]): RawBuilder<unknown> => sql`${values.map(String)}::${sql.raw(type)}[]`;
  const bound = (value: T): RawBuilder<unknown> => sql`${String(value)}::${sql.raw(type)}`;
  const points = spans.filter(({ from, to }) => from === to).map(({ from }) => from);
  const ranges = spans.filter(({ from, to }) => from !== to);
  return anyOf([
    points.length > 0 && sql<SqlBool>`${column} = any(${list(points)})`,
    ...(ranges.length > COMPARED_MAX
      ? [
          sql<SqlBool>`${column} <= (${list(ranges.map(({ to }) => to))})[
            width_bucket(${column}::${sql.raw(type)}, ${list(ranges.map(({ from }) => from))})]`,
        ]
      : ranges.map(({ from, to }) => sql<SqlBool>`${column} between ${bound(from)} and ${bound(to)}`)),
  ]);
}

/** @returns the same values in as few spans as possible, sorted, without empty spans */
function disjoint<T extends bigint | number>(spans: readonly Span<T>[]): Span<T>[] {
  const result: Span<T>[] = [];
  const inOrder = spans
    .filter(({ from, to }) => from <= to)
    .toSorted((left, right) => (left.from < right.from ? -1 : 1));
  for (const span of inOrder) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to) result.push({ ...span });
    else if (span.to > last.to) last.to = span.to;
  }
  return result;
}

function isWhole(decimal: Decimal): boolean {
  return decimal.scale === 0;
}

function floor({ unscaled, scale }: Decimal): bigint {
  const unit = 10n ** BigInt(scale);
  const truncated = unscaled / unit;
  return unscaled < 0n && truncated * unit !== unscaled ? truncated - 1n : truncated;
}

function larger(limit: bigint, value: bigint | undefined): bigint {
  return value === undefined || value < limit ? limit : value;
}

function smaller(limit: bigint, value: bigint | undefined): bigint {
  return value === undefined || value > limit ? limit : value;
}

function negated({ unscaled, scale }: Decimal): Decimal {
  return { unscaled: -unscaled, scale };
}

/** @returns the least double that is greater than the value, or equal to it if `inclusive` */
function doubleAtLeast(value: Decimal, inclusive: boolean): number {
  const nearest = Number(decimalText(value));
  const order = compareWithDouble(value, nearest);
  return order > 0 || (order === 0 && !inclusive) ? nextDouble(nearest) : nearest;
}

function compareWithDouble(value: Decimal, double: number): number {
  const decimal = parseDecimal(String(double));
  // The value is outside the range of doubles: the nearest double is infinite, and so beyond the value.
  return decimal === undefined ? -Math.sign(double) : compareDecimals(value, decimal);
}

function nextDouble(double: number): number {
  if (double === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([double]).buffer);
  const [before = 0n] = bits;
  bits[0] = before + (double > 0 ? 1n : -1n);
  return new Float64Array(bits.buffer)[0] ?? Infinity;
}
