/** Advisory locks for work that only one process does at a time: a process that does not get the lock skips the work. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './tables.ts';

/**
 * Runs `action` while a transaction on another connection holds the lock. It is a lock of the transaction and not of
 * the session, because a pooler may lend the session to others (docs/decisions/0035). A transaction that has read
 * nothing keeps no old rows.
 * @param name the name of the lock, the same in every process on this database
 * @returns the result of `action`; undefined if another process holds the lock
 * @throws the error of `action`; or, after it, the error of the lock's connection if that broke meanwhile
 */
export async function withTryLock<T>(
  db: Kysely<Database>,
  name: string,
  action: () => Promise<T>,
): Promise<T | undefined> {
  return db.transaction().execute(async (holder) => {
    if (!(await tryTransactionLock(holder, name))) return undefined;
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(holder);
    return action();
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
