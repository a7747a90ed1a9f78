/** The baseline for calls that each store a row: Postgres alone, one row per commit. */
import { Pool } from 'pg';
import type { BenchContext } from '../support/context.ts';
import type { BenchDatabase } from '../support/postgres.ts';

export const COMMITS = 'Postgres, one row a commit';
/** As many as an API process has. */
const CONNECTIONS = 20;

/** Adds the figure `COMMITS`. */
export async function measureCommits(context: BenchContext, database: BenchDatabase): Promise<void> {
  await database.sql.query('create table if not exists committed (id uuid primary key)');
  const value = await commitsPerSecond(database, context.seconds);
  context.figures.add(COMMITS, value, 'commits/s');
}

async function commitsPerSecond({ url }: BenchDatabase, seconds: number): Promise<number> {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  let commits = 0;
  const commit = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      await pool.query('insert into committed values (gen_random_uuid())');
      commits += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, commit));
  const durationMs = performance.now() - startedMs;
  await pool.end();
  return commits / (durationMs / 1_000);
}
