/** Compiles filters on custom attributes to tests of a value in JSON or in a column. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileDoubles, compileFlag, compileIntegers, compileWholes, isoText } from './compile-interval.ts';
import { decimalText } from '../../filters/decimal.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals, type Interval, numberIntervals } from '../../filters/interval.ts';

type CustomFilter = Extract<Filter, { kind: `custom_${string}` }>;

/** Passes if the attribute has the type, and its value or an element of its list meets the condition. */
export interface CustomTest {
  attribute: string;
  type: 'string' | 'integer' | 'float' | 'date' | 'boolean';
  /** The condition on a value `@` in a JSON path; undefined if no value can meet it. */
  inJson: string | undefined;
  inColumn: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>;
}

/**
 * Names and values are in the JSON path, which is a bound parameter, and not in the SQL.
 * @param key the attribute's key in the JSON; if it has a `type`, the JSON has an object with `type` and `value` there
 * @returns false if no value can pass
 */
export function compileJsonTest(
  column: 'd.custom' | 'd.rest',
  key: { attribute: string; type?: string },
  { inJson }: CustomTest,
): RawBuilder<SqlBool> | false {
  if (inJson === undefined) return false;
  const value = key.type === undefined ? '' : ` ? (@.type == "${key.type}").value`;
  const path = `$.${quoted(key.attribute)}${value}[*] ? (${inJson})`;
  return sql<SqlBool>`${sql.ref(column)} @? ${path}::jsonpath`;
}

export function customTest(filter: CustomFilter, now: Date): CustomTest {
  const { attribute } = filter;
  switch (filter.kind) {
    case 'custom_string':
      return {
        attribute,
        type: 'string',
        inJson: filter.criteria.map((value) => `@ == ${quoted(value)}`).join(' || '),
        inColumn: (column) => sql<SqlBool>`${column} = any(${filter.criteria}::text[])`,
      };
    case 'custom_boolean':
      return {
        attribute,
        type: 'boolean',
        inJson: filter.criteria.map((value) => `@ == ${value}`).join(' || '),
        inColumn: (column) => compileFlag(column, filter.criteria),
      };
    case 'custom_number': {
      const intervals = numberIntervals(filter.criteria);
      const compile = filter.type === 'integer' ? compileIntegers : compileDoubles;
      return {
        attribute,
        type: filter.type,
        inJson: pathCondition(intervals, decimalText),
        inColumn: (column) => compile(column, intervals),
      };
    }
    case 'custom_date': {
      const intervals = dateIntervals(filter.criteria, now);
      return {
        attribute,
        type: 'date',
        // All are in UTC and have equal length, so their texts sort like the times.
        inJson: pathCondition(intervals, (ms) => quoted(isoText(ms))),
        inColumn: (column) => compileWholes(column, intervals),
      };
    }
  }
}

function pathCondition<T>(
  intervals: readonly Interval<T>[],
  toText: (value: T) => string,
): string | undefined {
  if (intervals.length === 0) return undefined;
  return intervals
    .map(({ lower, upper }) => {
      const from = lower && `@ >${lower.inclusive ? '=' : ''} ${toText(lower.value)}`;
      const to = upper && `@ <${upper.inclusive ? '=' : ''} ${toText(upper.value)}`;
      return from === undefined && to === undefined
        ? '(exists (@))'
        : `(${[from, to].filter((bound) => bound !== undefined).join(' && ')})`;
    })
    .join(' || ');
}

/** Strings in a JSON path have the syntax of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
