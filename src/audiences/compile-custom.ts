/**
 * Filters on custom attributes, as one SQL/JSON path over the attribute: it checks the stored type, tries each
 * element of an array, and compares numbers exactly (as numeric). Its text is ours alone; names and values
 * are bound.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { stringifyJson } from '../json.ts';
import type { Interval, Limit } from './interval.ts';

type CustomType = 'string' | 'integer' | 'float' | 'date' | 'boolean';

/** The attribute, or an element of it, equals one of the values. */
export function compileCustomEquals(
  attribute: string,
  type: 'string' | 'boolean',
  values: readonly unknown[],
): RawBuilder<SqlBool> {
  return compilePath(attribute, type, '@ == $values[*]', { values });
}

/**
 * The attribute, or an element of it, lies in one of the intervals.
 * @param toJson a limit as it is stored; stored dates (`2026-11-21T10:00:00.000Z`) are ordered as their text is
 */
export function compileCustomBetween<T>(
  attribute: string,
  type: 'integer' | 'float' | 'date',
  intervals: readonly Interval<T>[],
  toJson: (value: T) => unknown,
): RawBuilder<SqlBool> {
  const variables: Record<string, unknown> = {};
  function compare(limit: Limit<T>, operator: '>' | '<', variable: string): string {
    variables[variable] = toJson(limit.value);
    return `@ ${operator}${limit.inclusive ? '=' : ''} $${variable}`;
  }
  const conditions = intervals.map(({ lower, upper }, index) => {
    const from = lower === undefined ? [] : [compare(lower, '>', `from${index}`)];
    const to = upper === undefined ? [] : [compare(upper, '<', `to${index}`)];
    // Without any limit, whatever is there matches.
    const limits = [...from, ...to];
    return limits.length === 0 ? '(@ == @)' : `(${limits.join(' && ')})`;
  });
  if (conditions.length === 0) return sql<SqlBool>`false`;
  return compilePath(attribute, type, conditions.join(' || '), variables);
}

/** In the lax mode of paths, an array is unwrapped by itself, and a scalar is taken as it is. */
function compilePath(
  attribute: string,
  type: CustomType,
  condition: string,
  variables: Record<string, unknown>,
): RawBuilder<SqlBool> {
  const path = `$ ? (@.type == "${type}").value ? (${condition})`;
  return sql<SqlBool>`jsonb_path_exists(d.custom -> ${attribute}::text, ${path}::jsonpath, ${stringifyJson(variables)}::jsonb)`;
}
