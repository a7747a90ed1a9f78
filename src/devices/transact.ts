import { setTimeout } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';

const ATTEMPTS_MAX = 6;
const BACKOFF_MS = 20;

/** Two calls met over the same devices: a serialization failure, a deadlock, a push token taken meanwhile. */
const CONFLICTS = new Set(['40001', '40P01', '23505']);

/** What a transaction found is no longer so, and it is to look again. */
export class Raced extends Error {
  override readonly name = 'Raced';
}

/**
 * Runs the work in a transaction, and again from the start where another call got in its way.
 * @throws {ApiError} `unavailable` where that happens time and again
 */
export async function transact<Result>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await setTimeout(Math.random() * BACKOFF_MS * attempt);
    }
  }
  throw new ApiError('unavailable', { retryAfterSeconds: 1 });
}

/** What `transact` tries again. */
export function isConflict(error: unknown): boolean {
  if (error instanceof Raced) return true;
  return error instanceof DatabaseError && error.code !== undefined && CONFLICTS.has(error.code);
}
