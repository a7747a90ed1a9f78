/** The transaction of a count: Postgres settings that suit it, a timeout, and an end when nobody waits any more. */
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';

export interface CountLimits {
  timeoutMs?: number;
  /** No caller waits: the count uses one processor for longer, and leaves the others to those who do. */
  inBackground?: boolean;
  /** Cancels the count. Not for a count inside a transaction that is handed in. */
  signal?: AbortSignal;
}

/** Below the statement timeout of the pool, so that a count that takes too long can say so. */
const TIMEOUT_MS = 20_000;
/** Measured with `npm run bench:audiences`. */
export const COUNT_SETTINGS = {
  // A count ends before compiling it has paid off.
  jit: 'off',
  // A join with a million events fits in memory.
  work_mem: '64MB',
  // Pages are in the system's cache: Postgres' I/O workers make a scan a fifth slower.
  effective_io_concurrency: '0',
};
/** Postgres' code for a canceled statement, here by its timeout. */
const QUERY_CANCELED = '57014';

/** @throws {ApiError} `unavailable` where counting takes longer than the timeout, or the signal ends it */
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
    // `set local` needs a transaction, and all statements of a count need one snapshot. A transaction that is handed in
    // is used as it is, also where its statements have a snapshot each.
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

/** Waits for its cancellation to end before the connection goes back to the pool, so that it hits no other query. */
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
