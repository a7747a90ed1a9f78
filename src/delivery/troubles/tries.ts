/** How often, and when, work is tried again after an error of the database or of our own. */
import type { Kysely } from 'kysely';
import { DatabaseError } from 'pg';
import { type Failure, failureInWords } from '../../db/database-error.ts';
import { findLocks, lockInWords } from '../../db/state/find-locks.ts';
import type { Database } from '../../db/tables.ts';

/**
 * Attempts until it is given up. A lasting failure is tried for about half a minute; a passing one for about half an
 * hour, because somebody may have to release a lock or restore a permission.
 */
export const TRIES_MAX: Readonly<Record<Exclude<Failure, 'away'>, number>> = { lasting: 6, passing: 35 };

/** The pauses between attempts double up to a minute. */
export const FIRST_PAUSE_MS = 1_000;
export const PAUSE_MS_MAX = 60_000;

/** SQLSTATEs: a canceled statement, nearly always by its time limit; a statement that waited too long for a lock. */
const WAITED: ReadonlySet<string | undefined> = new Set(['57014', '55P03']);

/** The cause in words, without values; for a lock, also the session that holds it. */
export async function causeInWords(db: Kysely<Database>, error: unknown): Promise<string> {
  const words = failureInWords(error);
  if (!WAITED.has(sqlStateOf(error))) return words;
  const [lock] = await findLocks(db).catch(() => []);
  return lock === undefined ? words : `${words}: ${lockInWords(lock)}`;
}

function sqlStateOf(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  return error instanceof Error ? sqlStateOf(error.cause) : undefined;
}
