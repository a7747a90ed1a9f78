/** Finds out whether there is a connection pooler between this process and Postgres, and whether it keeps prepared statements. */
import { randomUUID } from 'node:crypto';
import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { z } from 'zod';

/** `in transaction mode` stands for one that does not keep them; `keeps prepared statements` for one in session mode as well. */
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
    // A pooler gives its clients process ids of its own.
    isPooled = driverSchema.parse(first).processID !== serverSchema.parse(rows[0]).pid;
    if (!isPooled) return 'none';
    const second = await pool.connect();
    clients.push(second);
    return (await keepsStatements(first, second)) ? 'keeps prepared statements' : 'in transaction mode';
  } finally {
    for (const client of clients) client.release(isPooled);
  }
}

/** Whether a statement that was prepared on the server's connection is there on another one. */
async function keepsStatements(first: PoolClient, second: PoolClient): Promise<boolean> {
  // The pooler's connections outlive this check, and so does the statement.
  const statement = { name: `carillon_${randomUUID()}`, text: 'select 1' };
  await first.query(statement);
  // Takes the connection that the pooler has just got back.
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

/** What a statement says whose connection was exchanged by a pooler: it was prepared on another, or is there already. */
const MISSES = /^prepared statement ".*" (does not exist|already exists)/;

/** @returns undefined if the error, and what caused it, comes from no pooler */
export function poolerAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return misses(error) ? POOLER_ADVICE : poolerAdvice(error.cause);
}

function misses(error: unknown): boolean {
  return error instanceof DatabaseError && MISSES.test(error.message);
}
