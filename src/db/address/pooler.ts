/** Finds out whether there is a connection pooler between this process and Postgres, and whether it keeps prepared statements. */
import { randomUUID } from 'node:crypto';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { z } from 'zod';

/**
 * `in transaction mode`: a pooler that does not keep them. `keeps prepared statements`: one that does, or one in
 * session mode.
 */
export type FoundPooler = 'none' | 'in transaction mode' | 'keeps prepared statements';

export const POOLER_ADVICE =
  'DATABASE_URL leads through a connection pooler in transaction mode: set DATABASE_POOLER to transaction, or to transaction_prepared (docs/postgres.md)';

const driverSchema = z.object({ processID: z.number() });
const serverSchema = z.object({ pid: z.number() });

/** @throws the error of Postgres, or of the connection */
export async function findPooler(pool: Pool): Promise<FoundPooler> {
  const clients: PoolClient[] = [];
  let isPooled = false;
  try {
    const first = await pool.connect();
    clients.push(first);
    const { rows } = await first.query('select pg_backend_pid() as pid');
    // A pooler gives its clients its own process ids.
    isPooled = driverSchema.parse(first).processID !== serverSchema.parse(rows[0]).pid;
    if (!isPooled) return 'none';
    const second = await pool.connect();
    clients.push(second);
    return (await keepsStatements(first, second)) ? 'keeps prepared statements' : 'in transaction mode';
  } finally {
    for (const client of clients) client.release(isPooled);
  }
}

/** Whether a statement that was prepared on the server's connection exists on another one. */
async function keepsStatements(first: PoolClient, second: PoolClient): Promise<boolean> {
  // The pooler's connections outlive this check, and so does the statement.
  const statement = { name: `carillon_${randomUUID()}`, text: 'select 1' };
  await first.query(statement);
  // Gets the connection that was just returned to the pooler.
  await second.query('begin');
  try {
    await first.query(statement);
    return true;
  } catch (error) {
    if (misses(error)) return false;
    throw error;
  } finally {
    await second.query('rollback');
  }
}

/**
 * The error of a statement whose connection was exchanged by a pooler: the statement was prepared on another
 * connection, or exists already.
 */
const MISSES = /^prepared statement ".*" (does not exist|already exists)/;

/** @returns undefined if neither the error nor its cause comes from a pooler */
export function poolerAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return misses(error) ? POOLER_ADVICE : poolerAdvice(error.cause);
}

function misses(error: unknown): boolean {
  return error instanceof DatabaseError && MISSES.test(error.message);
}
