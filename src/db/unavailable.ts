import { DatabaseError } from 'pg';

/** Node's codes for broken connections, and for those that could not be made. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a Unix socket that does not exist
]);
/** Node's names of the steps of making one. */
const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Transient conditions of Postgres (https://www.postgresql.org/docs/current/errcodes-appendix.html): 08 connection, 53
 * out of resources, 57P shutting down, 57014 statement timeout, 25P03 idle transaction, 25006 a standby that is not
 * promoted yet, 40 transaction rolled back, 55P03 lock timeout.
 */
const TRANSIENT_SQLSTATE = /^(08...|53...|57P0.|57014|25P03|25006|40...|55P03)$/;

/** Messages of the driver and its pool (pg 8), which have no codes. */
const DRIVER_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/;

/** Thrown when a migration could not lock its tables. */
export class TablesInUse extends Error {}

/** Whether the database was unreachable or busy, so that a retry may help. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TablesInUse) return true;
  if (isRefusedByPooler(error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error instanceof DatabaseError
    ? TRANSIENT_SQLSTATE.test(code)
    : isNotConnected(error) || NETWORK_CODES.has(code) || DRIVER_MESSAGES.test(error.message);
}

/** Whether a connection could not be made, for whatever reason: also because this process or machine has no descriptor or port left. */
export function isNotConnected(error: Error): boolean {
  // Node has tried several addresses of a name.
  if (error instanceof AggregateError)
    return error.errors.some((one) => one instanceof Error && isNotConnected(one));
  return 'syscall' in error && CONNECTING.has(error.syscall);
}

/** Whether a connection pooler has refused the start-up parameters of a connection: a retry does not help (`Pooler`). */
export function isRefusedByPooler(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith('unsupported startup parameter') || isRefusedByPooler(error.cause);
}
