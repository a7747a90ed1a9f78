/** Filters on custom attributes, as JSON holds them and as a column of `device_targets` does. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  anyOf,
  compileDoubles,
  compileFlag,
  compileIntegers,
  compileWholes,
  isoText,
} from './compile-interval.ts';
import type { Targets } from './column-map.ts';
import { decimalText } from '../../filters/decimal.ts';
import type { Filter } from '../../filters/filter.ts';
import { dateIntervals, type Interval, numberIntervals } from '../../filters/interval.ts';

type CustomFilter = Extract<Filter, { kind: `custom_${string}` }>;

interface CustomTest {
  type: 'string' | 'integer' | 'float' | 'date' | 'boolean';
  /** The condition on a value `@` of a JSON path; undefined where no value can meet it. */
  inJson: string | undefined;
  inColumn: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>;
}

/**
 * The attribute has the type, and its value, or an element of it where it is an array, passes the test.
 * Name and values are part of the JSON path, which is bound, and not of the SQL.
 * @param targets where `d` is a row of `device_targets`
 */
export function compileCustom(
  filter: CustomFilter,
  now: Date,
  targets: Targets | undefined,
): RawBuilder<SqlBool> {
  const { type, inJson, inColumn } = customTest(filter, now);
  const within = (column: 'd.custom' | 'd.rest', path: string): RawBuilder<SqlBool> | false =>
    inJson !== undefined && sql<SqlBool>`${sql.ref(column)} @? ${`${path}[*] ? (${inJson})`}::jsonpath`;
  if (targets === undefined) {
    return anyOf([within('d.custom', `$.${quoted(filter.attribute)} ? (@.type == "${type}").value`)]);
  }
  const place = targets.customPlace(type, filter.attribute);
  return anyOf([
    place.column !== null && inColumn(sql.ref(`d.${place.column}`)),
    place.inRest && within('d.rest', `$.${quoted(`${type} ${filter.attribute}`)}`),
  ]);
}

function customTest(filter: CustomFilter, now: Date): CustomTest {
  switch (filter.kind) {
    case 'custom_string':
      return {
        type: 'string',
        inJson: filter.criteria.map((value) => `@ == ${quoted(value)}`).join(' || '),
        inColumn: (column) => sql<SqlBool>`${column} = any(${filter.criteria}::text[])`,
      };
    case 'custom_boolean':
      return {
        type: 'boolean',
        inJson: filter.criteria.map((value) => `@ == ${value}`).join(' || '),
        inColumn: (column) => compileFlag(column, filter.criteria),
      };
    case 'custom_number': {
      const intervals = numberIntervals(filter.criteria);
      const compile = filter.type === 'integer' ? compileIntegers : compileDoubles;
      return {
        type: filter.type,
        inJson: pathCondition(intervals, decimalText),
        inColumn: (column) => compile(column, intervals),
      };
    }
    case 'custom_date': {
      const intervals = dateIntervals(filter.criteria, now);
      return {
        type: 'date',
        // All are in UTC, and as long as each other: their texts are in the order of the moments.
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

/** A string of a JSON path is written as one of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
