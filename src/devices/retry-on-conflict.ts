/** Runs transactions on devices, and runs them again if another call changed the same devices at the same time. */
import { setTimeout } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';

const ATTEMPTS_MAX = 6;
const BACKOFF_MS = 20;

/** Serialization failure, deadlock, and unique violation (another device took the push token meanwhile). */
const CONFLICTS = new Set(['40001', '40P01', '23505']);

/** A transaction throws this if its earlier reads are out of date; it is then run again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/**
 * Runs the work in a transaction, and again from the start after a conflict with another call.
 * @throws {ApiError} `unavailable` after 6 conflicts
 */
export async function retryOnConflict<Result>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await backOff(attempt);
    }
  }
  throw tooManyConflicts();
}

/** Waits for a random time of up to 20 ms × `attempt`. */
export async function backOff(attempt: number): Promise<void> {
  await setTimeout(Math.random() * BACKOFF_MS * attempt);
}

export function tooManyConflicts(): ApiError {
  return new ApiError('unavailable', { retryAfterSeconds: 1 });
}

/** Whether `retryOnConflict` runs the work again after this error. */
export function isConflict(error: unknown): boolean {
  if (error instanceof Conflict) return true;
  return error instanceof DatabaseError && error.code !== undefined && CONFLICTS.has(error.code);
}
