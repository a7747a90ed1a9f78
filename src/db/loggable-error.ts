/** Makes a database error loggable: Postgres quotes values in it, which may be push tokens or e-mail addresses. */
import { DatabaseError } from 'pg';

/** Messages of class 22 (data exceptions) in which values stand between quotation marks only, or not at all. */
const SAFE_22 = [
  /^time zone ".*" not recognized$/s,
  /^invalid input syntax for type [a-z ]+(: ".*")?$/s,
  /^invalid input value for enum \w+: ".*"$/s,
  /^invalid byte sequence for encoding "\w+"/,
  /^value too long for type [a-z ]+(\(\d+\))?$/,
  /^value ".*" is out of range for type [a-z ]+$/s,
  /^date\/time field value out of range: ".*"$/s,
  /^[a-z ]+ out of range$/,
  /^unsupported Unicode escape sequence$/,
  /^division by zero$/,
];

/**
 * Removes the values that Postgres quotes: `detail` and `where` contain the values of a row, and messages of class 22
 * the invalid value. Such a message is kept only if its form is known. Names of the schema stay. Any other error is
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

/**
 * From the first quotation mark to the last, because values may contain quotation marks themselves. Bytes follow the
 * name of an encoding.
 */
function withoutQuoted(message: string): string {
  if (!SAFE_22.some((form) => form.test(message))) return 'data exception';
  return message.replace(/(?<=^invalid byte sequence for encoding "\w+").*/s, '').replace(/".*"/s, '"…"');
}

/**
 * The function, the table and the column that Postgres names. Nothing else is taken from `where`, which may quote
 * parameters.
 */
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
