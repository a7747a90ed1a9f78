/** Makes a database error loggable: Postgres quotes values in it, which may be push tokens or e-mail addresses. */
import { DatabaseError } from 'pg';

/**
 * Removes the values that Postgres quotes: `detail` and `where` contain those of a row, and messages of class 22 (data
 * exceptions) contain the invalid value, between quotation marks or after a colon. Names of the schema stay. Any other error is
 * returned unchanged.
 */
export function withoutValues(error: Error): Error {
  if (!(error instanceof DatabaseError)) return error;
  const { code = '' } = error;
  const message = code.startsWith('22') ? withoutQuoted(error.message) : error.message;
  const loggable = new Error(`Postgres ${code}: ${message}${placeOf(error)}`);
  loggable.stack = `${loggable.message}\n${framesOf(error)}`;
  return loggable;
}

/** From the first quotation mark to the last, because values may contain some themselves; and bytes in hexadecimal. */
function withoutQuoted(message: string): string {
  return message
    .replace(/".*"/s, '"…"')
    .replaceAll(/0x[\da-f]+/gi, '0x…')
    .replace(/: (?!"…"|0x…).*/s, ': …');
}

/** The function, the table and the column that Postgres names. Of `where` nothing else is taken: it may quote parameters. */
function placeOf({ where, table, column, constraint }: DatabaseError): string {
  const named = [
    ['function', /PL\/pgSQL function (\w+)/.exec(where ?? '')?.[1]],
    ['table', table],
    ['column', column],
    ['constraint', constraint],
  ].flatMap(([kind, name]) => (name === undefined ? [] : `${kind} ${name}`));
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

function framesOf(error: Error): string {
  const lines = error.stack?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('    at ')).join('\n');
}
