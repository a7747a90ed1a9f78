/** SQL conditions that several compilers share. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export interface Condition {
  sql: RawBuilder<SqlBool>;
  /** An `exists` is never null, so `not` negates it, which becomes an anti join. Other conditions need `is not true`. */
  isExists: boolean;
}

/** @returns a condition that is true if any of the conditions is true; false if there are none */
export function anyOf(conditions: readonly (RawBuilder<SqlBool> | false)[]): RawBuilder<SqlBool> {
  const kept = conditions.filter((condition) => condition !== false);
  return kept.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(kept, sql` or `)})`;
}

/** Comparing with a single value costs half as much as comparing with a list of one value. */
export function equalsAny(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  const [only = ''] = values;
  return values.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${only}`
    : sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
}

/**
 * The app's id, hidden from the planner. If the statistics are older than the app, the planner would expect a single
 * row in the other table. For each device, it would read all rows of the app there instead of one row by its key
 * (docs/decisions/0011-new-apps.md).
 */
export function hiddenFromPlanner(appId: string): RawBuilder<string> {
  return sql<string>`(select ${appId}::uuid)`;
}
