/** What may be told of a database error: Postgres quotes values in it, which may be push tokens or e-mail addresses. */
import { DatabaseError } from 'pg';

/**
 * An error without the values that Postgres quotes: those of a row in `detail` and `where`, and those of the
 * messages of class 22 (data exceptions). Any other error is returned as it is.
 */
export function withoutValues(error: Error): Error {
  if (!(error instanceof DatabaseError)) return error;
  const { code = '' } = error;
  const words = code.startsWith('22') ? 'data exception' : error.message;
  const loggable = new Error(`Postgres ${code}: ${words}`);
  loggable.stack = `${loggable.message}\n${framesOf(error)}`;
  return loggable;
}

function framesOf(error: Error): string {
  const lines = error.stack?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('    at ')).join('\n');
}
