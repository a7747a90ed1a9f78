/**
 * Prepared statements: Postgres parses and plans them once per connection instead of once per call. They are for the few
 * statements that run on every request. Creating a notification takes Postgres 185 µs with them, and 370 µs without.
 */
import { type RawBuilder, sql } from 'kysely';

const MARK = /^(?:select )?\/\* prepared as (\w{1,63}) \*\//;

/**
 * Marks a statement as prepared. Put the mark at the beginning of the statement, or right after its `select`.
 * @param name unique to this text: 1 to 63 letters, digits and `_`
 */
export function preparedAs(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared as ${name} */`);
}

/** @returns the name from `preparedAs` in a statement; undefined if it has none */
export function preparedName(text: string): string | undefined {
  return MARK.exec(text)?.[1];
}

type ListType = 'uuid' | 'int' | 'text' | 'timestamptz' | 'bytea';
/** Types whose values are written without quotes. */
const PLAIN_TYPES: ReadonlySet<ListType> = new Set(['uuid', 'int', 'timestamptz']);

/**
 * Passes a list as a parameter and hides its length from the planner, which would otherwise plan a prepared statement again
 * for every length. For a few rows, planning takes longer than executing.
 * @param values ids, numbers, texts, times or bytes, by the type, or null
 * @param type the type of an element
 */
export function listParameter(values: readonly unknown[], type: ListType): RawBuilder<unknown> {
  const list = sql.raw(`${type}[]`);
  const value = PLAIN_TYPES.has(type) ? plainList(values) : values;
  return sql`(select ${value}::${list})::${list}`; // with the cast, `any (…)` takes it as a list and not as a query
}

/** Passes one column of rows as a list. */
export function columnParameter<Row>(
  rows: readonly Row[],
  type: ListType,
  read: (row: Row) => unknown,
): RawBuilder<unknown> {
  return listParameter(rows.map(read), type);
}

/**
 * Writes a list in Postgres' form. The driver would search each value for quotes, and write times in the local time
 * zone.
 */
function plainList(values: readonly unknown[]): string {
  return `{${values.map(plain).join(',')}}`;
}

function plain(value: unknown): string {
  if (value === null) return 'NULL';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number') return `${value}`;
  throw new TypeError('a list has a value of another type');
}

/**
 * Always true: a condition on the column `position` of `unnest(…) with ordinality`. The planner believes that it leaves
 * one row, and then looks up each row of a table by its key. Otherwise, until the table is analyzed, a plan from when
 * it was small reads all of it: in an app's first minute, ending a push took five times as long.
 */
export const fewRows = sql<boolean>`position between 1 and 1000000`;
