/**
 * The driver's pool as Kysely is to see it: it knows prepared statements and COPY, which Kysely does not, and gives up
 * a connection that has gone silent.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { copyQuery, isCopy } from './copy-in.ts';
import { preparedName } from './prepared.ts';

/**
 * A client is the same object whenever it is lent: Kysely keeps what it knows of one in a weak map, and would gain and
 * lose an entry with every statement.
 * @param replyTimeoutMs how long a statement may be without an answer; the connection is closed then
 */
export function statementPool(pool: Pool, { replyTimeoutMs }: { replyTimeoutMs: number }): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const before = known.get(client);
      if (before !== undefined) return before;
      const statements = new Statements(client, replyTimeoutMs);
      known.set(client, statements);
      return statements;
    },
    end: async () => pool.end(),
  };
}

class Statements implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #replyTimeoutMs: number;
  #isSilent = false;

  constructor(client: PoolClient, replyTimeoutMs: number) {
    this.#client = client;
    this.#replyTimeoutMs = replyTimeoutMs;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not in use');
    return this.#run(text, values);
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isSilent);
  }

  /**
   * By callback and with our own timer: what the driver does itself, for a promise and for a timeout, assigns function
   * literals to properties. V8 puts those in the old generation at once, and all they reach is kept alive with them
   * until the whole heap is collected, which made every collection of the young one take milliseconds
   * (docs/decisions/0008).
   */
  async #run(text: string, values: readonly unknown[]): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#isSilent = true;
        reject(Object.assign(new Error('the database gave no answer'), { code: 'ETIMEDOUT' }));
      };
      if (this.#isSilent) return giveUp();
      const timer = setTimeout(giveUp, this.#replyTimeoutMs);
      const done = (error: Error | null | undefined, result: QueryResult<never>): void => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      };
      if (isCopy(text)) {
        this.#client.query(copyQuery(text, values, done));
      } else {
        const name = preparedName(text);
        this.#client.query({ text, values: [...values], ...(name !== undefined && { name }) }, done);
      }
    });
  }
}
