import { DatabaseError } from 'pg';

/** Node's codes for refused or broken connections, for timeouts, and for failed name look-ups. */
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
    : NETWORK_CODES.has(code) || DRIVER_MESSAGES.test(error.message);
}

/** Whether a connection pooler has refused the start-up parameters of a connection: a retry does not help (`Pooler`). */
export function isRefusedByPooler(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.startsWith('unsupported startup parameter') || isRefusedByPooler(error.cause);
}
