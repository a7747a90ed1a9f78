/** Looks at what is asked of a database: how much, and whether it waits for a lock. */
import { type Kysely, type KyselyPlugin, sql } from 'kysely';
import { vi } from 'vitest';
import type { Database } from '../../src/db/tables.ts';

/** The same database, and how many statements it has answered through what is returned here. */
export function countStatements(db: Kysely<Database>): { db: Kysely<Database>; count: () => number } {
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++;
      return result;
    },
  };
  return { db: db.withPlugin(counter), count: () => statements };
}

/**
 * Resolves when this number of statements in the database wait for a lock on a table, row or transaction.
 * @returns the process ids of the backends that wait
 */
export async function untilWaiting(db: Kysely<Database>, statements = 1): Promise<number[]> {
  const look = async (): Promise<number[]> => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length !== statements) throw new Error(`${rows.length} statements wait`);
    return rows.map(({ pid }) => pid);
  };
  return vi.waitFor(look, { timeout: 30_000 });
}

/**
 * What this connection has read of a table. It includes earlier transactions that are not in the statistics of Postgres yet, so
 * compare two calls of one transaction: inside it the counts are not reset.
 */
export async function tableReads(
  transaction: Kysely<Database>,
  table: keyof Database,
): Promise<{ sequentialScans: number; rows: number }> {
  const { rows } = await sql<{ sequentialScans: number; rows: number }>`
    select seq_scan as "sequentialScans", seq_tup_read + idx_tup_fetch as rows
    from pg_stat_xact_user_tables where relname = ${table}`.execute(transaction);
  const [reads] = rows;
  if (reads === undefined) throw new Error(`Postgres has no statistics of ${table}`);
  return reads;
}
