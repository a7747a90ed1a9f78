/** Rows by the thousand, by COPY: Postgres takes them for a third of what reading them as JSON costs it. */
import { CompiledQuery, type Kysely } from 'kysely';
import { Query, type QueryResult } from 'pg';

/** What the driver's types leave out of its connection. */
interface Receiver {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const SPECIAL = /[\\\t\n\r]/;
const SPECIALS = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export const COPY_NULL = '\\N';

/** A value as COPY reads it in its text format. */
export function copyText(value: string): string {
  return SPECIAL.test(value) ? value.replaceAll(SPECIALS, (character) => ESCAPES[character] ?? '') : value;
}

/**
 * @param columns of the rows, in their order
 * @param rows their values between tabs, each as `copyText` leaves it or `COPY_NULL`; without newlines
 * @throws what a statement that inserts them all would
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

/** Whether it is a statement of `copyIn`, for which there is `copyQuery`. */
export function isCopy(text: string): boolean {
  return text.startsWith('copy ');
}

/** @returns what the driver is to run for a statement of `copyIn` */
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
