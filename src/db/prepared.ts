/**
 * Statements that Postgres parses and plans once a connection, not once a call: for the few that come at the
 * rate of requests. To create a notification costs Postgres 185 µs so, and 370 µs otherwise.
 */
import { type RawBuilder, sql } from 'kysely';

const MARK = /^(?:select )?\/\* prepared as (\w{1,63}) \*\//;

/**
 * Stands first in a statement, or right after its `select`.
 * @param name for this one text, everywhere: 1 to 63 letters, digits and `_`
 */
export function preparedAs(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared as ${name} */`);
}

/** @returns the name that a statement was given by `preparedAs` */
export function preparedName(text: string): string | undefined {
  return MARK.exec(text)?.[1];
}
