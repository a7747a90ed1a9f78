/** Runs a count in a transaction, with Postgres settings that suit it and a timeout. Cancels it when nobody waits. */
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';

export interface CountLimits {
  timeoutMs?: number;
  /**
   * No caller waits: the count uses one processor for longer, and leaves the other processors to counts with a caller.
   */
  inBackground?: boolean;
  /** Cancels the count. Must not be used with a transaction of the caller. */
  signal?: AbortSignal;
}

/** Below the pool's statement timeout, so that a slow count gets an error of its own. */
const TIMEOUT_MS = 20_000;
/** Measured over two million devices (docs/decisions/0004). */
export const COUNT_SETTINGS = {
  // A count is over before compiling it pays off.
  jit: 'off',
  // A join with a million events fits in memory.
  work_mem: '64MB',
  // The pages are in the cache of the operating system: Postgres' I/O workers make a scan a fifth slower.
  effective_io_concurrency: '0',
};
/** Postgres' error code for a canceled statement, here canceled by its timeout. */
const QUERY_CANCELED = '57014';

/** @throws {ApiError} `unavailable` if the count takes longer than the timeout, or the signal cancels it */
export async function inCountTransaction<Result>(
  db: Kysely<Database>,
  limits: CountLimits,
  count: (transaction: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const run = async (transaction: Kysely<Database>): Promise<Result> => {
    const processId = await prepare(transaction, limits);
    return cancelOn(limits.signal, { db, processId }, async () => count(transaction));
  };
  try {
    // `set local` needs a transaction, and all statements of a count need one snapshot. The caller's
    // transaction is used as it is, even if each of its statements has its own snapshot.
    return db.isTransaction
      ? await run(db)
      : await db.transaction().setIsolationLevel('repeatable read').execute(run);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== QUERY_CANCELED) throw error;
    if (limits.signal?.aborted === true) throw new ApiError('unavailable');
    throw new ApiError('unavailable', {
      message: 'Counting the devices of this audience took too long; try again, or narrow its filters.',
      retryAfterSeconds: 30,
      cause: error,
    });
  }
}

/** @returns the id of the Postgres process that counts */
async function prepare(
  transaction: Kysely<Database>,
  { timeoutMs = TIMEOUT_MS, inBackground = false }: CountLimits,
): Promise<number> {
  const settings = {
    ...COUNT_SETTINGS,
    ...(inBackground && { max_parallel_workers_per_gather: '0' }),
    statement_timeout: String(timeoutMs),
  };
  const calls = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`);
  const { rows } = await sql<{ id: number }>`
    select pg_backend_pid() as id, ${sql.join(calls)}`.execute(transaction);
  return rows[0]?.id ?? 0;
}

/** Limits each following statement of a count, which then ends like a count that takes too long. */
export async function limitStatements(transaction: Kysely<Database>, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(timeoutMs)))}, true)`.execute(
    transaction,
  );
}

/** Waits for the cancellation before the connection returns to the pool, so that it cancels no other query. */
async function cancelOn<Result>(
  signal: AbortSignal | undefined,
  { db, processId }: { db: Kysely<Database>; processId: number },
  work: () => Promise<Result>,
): Promise<Result> {
  let canceling: Promise<unknown> | undefined;
  const cancel = (): void => {
    canceling = sql`select pg_cancel_backend(${processId})`.execute(db).catch(() => undefined);
  };
  signal?.addEventListener('abort', cancel);
  try {
    if (signal?.aborted === true) throw new ApiError('unavailable');
    return await work();
  } finally {
    signal?.removeEventListener('abort', cancel);
    await canceling;
  }
}
