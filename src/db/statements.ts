/**
 * An adapter between the driver's pool and Kysely. It adds prepared statements and COPY, which Kysely lacks, and closes
 * connections that no longer answer.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { copyQuery, isCopy } from './copy-in.ts';
import { preparedName } from './prepared.ts';

interface StatementOptions {
  /** How long to wait for the answer to a statement before the connection is closed. */
  replyTimeoutMs: number;
  /** Whether marked statements are prepared; if not, they are parsed at each call. */
  prepares: boolean;
}

/**
 * Wraps the pool. A client always gets the same wrapper: Kysely keeps clients in a weak map, which would otherwise gain and
 * lose an entry with every statement.
 */
export function statementPool(pool: Pool, options: StatementOptions): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const existing = known.get(client);
      if (existing !== undefined) return existing;
      const statements = new Statements(client, options);
      known.set(client, statements);
      return statements;
    },
    end: async () => pool.end(),
  };
}

/**
 * A write was refused. After a failover, an old connection may lead to the former primary and a new one to the present
 * primary, so the connection is closed.
 */
const READ_ONLY = '25006';

class Statements implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #replyTimeoutMs: number;
  readonly #prepares: boolean;
  #isSilent = false;
  #isReadOnly = false;

  constructor(client: PoolClient, { replyTimeoutMs, prepares }: StatementOptions) {
    this.#client = client;
    this.#replyTimeoutMs = replyTimeoutMs;
    this.#prepares = prepares;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not supported');
    return this.#run(text, values);
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isSilent || this.#isReadOnly);
  }

  /**
   * Uses a callback and a timer of its own instead of the driver's promise and timeout. For its promise and timeout,
   * the driver assigns function literals to properties. V8 allocates such functions in the old generation at once, and
   * they keep everything they refer to alive until a full collection. That made every young-generation collection take
   * milliseconds (docs/decisions/0008).
   */
  async #run(text: string, values: readonly unknown[]): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#isSilent = true;
        reject(Object.assign(new Error('the database did not answer'), { code: 'ETIMEDOUT' }));
      };
      if (this.#isSilent) return giveUp();
      const timer = setTimeout(giveUp, this.#replyTimeoutMs);
      const done = (error: Error | null | undefined, result: QueryResult<never>): void => {
        clearTimeout(timer);
        if (error) {
          this.#isReadOnly ||= 'code' in error && error.code === READ_ONLY;
          reject(error);
        } else resolve(result);
      };
      if (isCopy(text)) {
        this.#client.query(copyQuery(text, values, done));
      } else {
        const name = this.#prepares ? preparedName(text) : undefined;
        this.#client.query({ text, values: [...values], ...(name !== undefined && { name }) }, done);
      }
    });
  }
}
