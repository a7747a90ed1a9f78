/** Opens the pool of Postgres connections that the whole process shares. */
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, TypeOverrides, types } from 'pg';
import { connectionOf } from './address/database-url.ts';
import { databaseError } from './database-error.ts';
import { parseJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { statementPool } from './statements.ts';
import type { Database } from './tables.ts';

export interface ConnectOptions {
  connectionString: string;
  observe: Observe;
  /** Set if the process has a second pool. */
  connectionsMax?: number;
  /** Set if statements take longer than usual. */
  replyTimeoutMs?: number;
  /** After this time Postgres cancels a statement. */
  statementTimeoutMs?: number;
  /** Undefined: there is no pooler. */
  pooler?: Pooler;
}

/**
 * A pooler between the process and Postgres, such as PgBouncer, that lends a connection for one transaction at a time:
 * nothing may last longer than a transaction (docs/decisions/0035). Only `transaction_prepared` poolers keep prepared
 * statements.
 */
export type Pooler = 'none' | 'transaction' | 'transaction_prepared';

/**
 * Per process with at most two bulk threads, in all its pools together. A few are enough, because deliveries work slice by
 * slice.
 */
const CONNECTIONS_MAX = 20;
const BULK_CONNECTIONS_MAX = 8;
export const MAIN_THREAD_CONNECTIONS_MAX = CONNECTIONS_MAX - BULK_CONNECTIONS_MAX;

/**
 * @returns the connections of each of so many bulk threads. A thread sends six slices at a time, each of which takes one or two now
 *   and then
 */
export function bulkConnectionsMax(threads: number): number {
  return Math.max(4, BULK_CONNECTIONS_MAX / threads);
}

/** Postgres cancels longer statements: nothing may hold a connection for minutes. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** If the server is gone (a lost host), it cannot cancel a statement, so the client gives up on its own. */
const REPLY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);
parsers.setTypeParser(types.builtins.JSON, parseJson);
parsers.setTypeParser(types.builtins.JSONB, parseJson);

/** `databaseOn(openPool(options))`, for callers that do not need the pool itself. */
export function connectDatabase(options: ConnectOptions): Kysely<Database> {
  return databaseOn(openPool(options), options);
}

/**
 * @returns the database; its `destroy()` closes the pool. It returns bigint columns as numbers, JSON without loss
 * (`json/lossless.ts`), and times as `Date`
 */
export function databaseOn(
  pool: Pool,
  { replyTimeoutMs = REPLY_TIMEOUT_MS, pooler }: Pick<ConnectOptions, 'replyTimeoutMs' | 'pooler'> = {},
): Kysely<Database> {
  const prepares = pooler !== 'transaction';
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: statementPool(pool, { replyTimeoutMs, prepares }) }),
  });
}

/** Current connections to the database, and queries that wait for one. */
export interface PoolUse {
  open: number;
  idle: number;
  waiting: number;
}

export function poolUseOf({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}

/**
 * Start-up parameters of a connection, which a pooler in transaction mode refuses or ignores: there they are set for the role
 * (docs/postgres.md).
 */
const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
};

/** Creates the pool. The first query opens the first connection. */
export function openPool(options: ConnectOptions): Pool {
  const pool = new Pool({
    max: options.connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...((options.pooler ?? 'none') === 'none' && {
      ...SESSION_SETTINGS,
      ...(options.statementTimeoutMs !== undefined && { statement_timeout: options.statementTimeoutMs }),
    }),
    keepAlive: true,
    application_name: 'carillon',
    types: parsers,
    ...connectionOf(options.connectionString),
  });
  // The pool replaces broken connections, but an error event without a listener would end the process. The pool itself
  // listens only to idle connections, and emits their errors as its own.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.observe(databaseError(error)));
  });
  pool.on('error', () => undefined);
  return pool;
}
