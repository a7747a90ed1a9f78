/** SQL conditions that several compilers share. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export interface Condition {
  sql: RawBuilder<SqlBool>;
  /** An `exists` is never null, and its plain negation becomes an anti join; any other negation has to cover null. */
  isExists: boolean;
}

/** True where one of the conditions is true; false where there are none. */
export function anyOf(conditions: readonly (RawBuilder<SqlBool> | false)[]): RawBuilder<SqlBool> {
  const kept = conditions.filter((condition) => condition !== false);
  return kept.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(kept, sql` or `)})`;
}

/** A comparison with one value costs half as much as one with a list of one value. */
export function equalsAny(column: string, values: readonly string[]): RawBuilder<SqlBool> {
  const [only = ''] = values;
  return values.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${only}`
    : sql<SqlBool>`${sql.ref(column)} = any(${values}::text[])`;
}

/**
 * The app's id, hidden from the planner. For an app newer than its statistics, the planner would expect a single row in
 * the other table, and read all of the app's rows there per device instead of one by its key
 * (docs/decisions/0011-new-apps.md).
 */
export function hiddenFromPlanner(appId: string): RawBuilder<string> {
  return sql<string>`(select ${appId}::uuid)`;
}
