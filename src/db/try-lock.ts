/** Advisory locks for work that only one process does at a time: a process that does not get the lock skips the work. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './tables.ts';

/**
 * Runs `action` on a connection that holds the lock meanwhile.
 * @param name the name of the lock, the same in every process on this database
 * @returns the result of `action`; undefined if another process holds the lock
 */
export async function withTryLock<T>(
  db: Kysely<Database>,
  name: string,
  action: (connection: Kysely<Database>) => Promise<T>,
): Promise<T | undefined> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`.execute(connection);
    if (rows[0]?.locked !== true) return undefined;
    try {
      return await action(connection);
    } finally {
      // If the connection broke, the lock is released already.
      await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
        .execute(connection)
        .catch(() => undefined);
    }
  });
}

/**
 * Takes the lock until the transaction ends, unless another session holds it, shared or exclusively.
 * @returns whether it was taken
 */
export async function tryTransactionLock(transaction: Transaction<Database>, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}
