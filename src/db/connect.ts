/** Opens the pool of Postgres connections that the whole process shares. */
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, TypeOverrides, types } from 'pg';
import { databaseError } from './database-error.ts';
import { parseJson } from '../json/lossless.ts';
import type { Observe } from '../observe.ts';
import { statementPool } from './statements.ts';
import type { Database } from './tables.ts';

export interface ConnectOptions {
  connectionString: string;
  observe: Observe;
  /** Where the process has another pool beside this one. */
  connectionsMax?: number;
  /** Where statements take longer than those of daily work. */
  replyTimeoutMs?: number;
}

/** What a process takes at most, all its pools together: few, since work moves in slices. */
const CONNECTIONS_MAX = 20;
/** Of these the thread of broadcasts: a slice in hand takes one or two, and there are six. */
export const BROADCAST_CONNECTIONS_MAX = 8;
export const CONNECTIONS_MAX_BESIDE_BROADCASTS = CONNECTIONS_MAX - BROADCAST_CONNECTIONS_MAX;

/** A statement that runs longer is cut by Postgres: nothing of ours may hold a connection for minutes. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Where the server has gone silent (a lost host) it cuts nothing, and we give up by ourselves. */
const REPLY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);
parsers.setTypeParser(types.builtins.JSON, parseJson);
parsers.setTypeParser(types.builtins.JSONB, parseJson);

/** As `databaseOn(openPool(options))`, for whoever does not look at the pool itself. */
export function connectDatabase(options: ConnectOptions): Kysely<Database> {
  return databaseOn(openPool(options), options.replyTimeoutMs);
}

/**
 * @returns the database; `destroy()` closes every connection and with them the pool.
 * Counts (bigint) come back as numbers, JSON without loss (see `json.ts`), times as `Date`.
 */
export function databaseOn(pool: Pool, replyTimeoutMs = REPLY_TIMEOUT_MS): Kysely<Database> {
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: statementPool(pool, { replyTimeoutMs }) }),
  });
}

/** Connections to the database now, and queries that wait for one. */
export interface PoolUse {
  open: number;
  idle: number;
  waiting: number;
}

export function poolUseOf({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}

/** Opens no connection yet; the first query does. */
export function openPool(options: ConnectOptions): Pool {
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'carillon',
    types: parsers,
  });
  // A connection that breaks is replaced by the pool; without a listener it would end the process. The pool
  // listens to idle ones alone, and repeats what they have told.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.observe(databaseError(error)));
  });
  pool.on('error', () => undefined);
  return pool;
}
