/**
 * Statements that Postgres parses and plans once a connection, not once a call: for the few that come at the
 * rate of requests. To create a notification costs Postgres 185 µs so, and 370 µs otherwise.
 */
import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { isCopy, runCopy } from './copy-in.ts';

const MARK = /^(?:select )?\/\* prepared as (\w{1,63}) \*\//;

/**
 * Stands first in a statement, or right after its `select`.
 * @param name for this one text, everywhere: 1 to 63 letters, digits and `_`
 */
export function preparedAs(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared as ${name} */`);
}

/** The pool as Kysely is to see it, which knows no prepared statements itself. */
export function preparingPool(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => preparingClient(await pool.connect()),
    end: async () => pool.end(),
  };
}

function preparingClient(client: PoolClient) {
  async function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, values?: readonly unknown[]): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not in use');
    if (isCopy(text)) return runCopy(client, text, values ?? []);
    const [, name] = MARK.exec(text) ?? [];
    return client.query({ text, values: [...(values ?? [])], ...(name !== undefined && { name }) });
  }
  return { query, release: (destroy?: boolean) => client.release(destroy) };
}
