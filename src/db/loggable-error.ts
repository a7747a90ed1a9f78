/** Makes a database error loggable: Postgres quotes values in it, which may be push tokens or e-mail addresses. */
import { DatabaseError } from 'pg';

/**
 * Removes the values that Postgres quotes: `detail` and `where` contain those of a row, and messages of class 22 (data
 * exceptions) contain the invalid value. Any other error is returned unchanged.
 */
export function withoutValues(error: Error): Error {
  if (!(error instanceof DatabaseError)) return error;
  const { code = '' } = error;
  const message = code.startsWith('22') ? 'data exception' : error.message;
  const loggable = new Error(`Postgres ${code}: ${message}`);
  loggable.stack = `${loggable.message}\n${framesOf(error)}`;
  return loggable;
}

function framesOf(error: Error): string {
  const lines = error.stack?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('    at ')).join('\n');
}
