/** Advisory locks of Postgres for work that one process does at a time: a process that does not get the lock does nothing. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './tables.ts';

/**
 * Runs `action` on a connection that holds the lock for as long as it runs.
 * @param name of the lock; the same in every process on this database
 * @returns undefined where another process holds the lock
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
      // A connection that broke took the lock with it.
      await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
        .execute(connection)
        .catch(() => undefined);
    }
  });
}

/**
 * Takes the lock until the transaction ends, if nobody holds it, shared or not.
 * @returns whether it was taken
 */
export async function tryTransactionLock(transaction: Transaction<Database>, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}
