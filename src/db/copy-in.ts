/** Inserts thousands of rows with COPY, which takes Postgres a third of the time of parsing them as JSON. */
import { CompiledQuery, type Kysely } from 'kysely';
import { Query, type QueryResult } from 'pg';

/** Methods of the driver's connection that its types lack. */
interface Receiver {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const SPECIAL = /[\\\t\n\r]/;
const SPECIALS = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export const COPY_NULL = '\\N';

/** Escapes a value for the text format of COPY. */
export function copyText(value: string): string {
  return SPECIAL.test(value) ? value.replaceAll(SPECIALS, (character) => ESCAPES[character] ?? '') : value;
}

/**
 * @param columns the column names, in the order of the values
 * @param rows values separated by tabs, each from `copyText` or `COPY_NULL`; no newline at the end
 * @throws the same errors as one INSERT of all rows
 */
export async function copyIn<Schema>(
  db: Kysely<Schema>,
  table: string,
  columns: string,
  rows: readonly string[],
): Promise<void> {
  const text = `copy ${table} (${columns}) from stdin`;
  await db.executeQuery(CompiledQuery.raw(text, [Buffer.from(`${rows.join('\n')}\n`)]));
}

/** Whether a statement comes from `copyIn`, and so must be run with `copyQuery`. */
export function isCopy(text: string): boolean {
  return text.startsWith('copy ');
}

/** @returns the driver's query object for a statement from `copyIn` */
export function copyQuery(
  text: string,
  [rows]: readonly unknown[],
  done: (error: Error | null | undefined, result: QueryResult<never>) => void,
): Query {
  return Object.assign(new Query(text, done), {
    handleCopyInResponse: (receiver: Receiver): void => {
      if (Buffer.isBuffer(rows)) receiver.sendCopyFromChunk(rows);
      receiver.endCopyFrom();
    },
  });
}
