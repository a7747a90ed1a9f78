import { DatabaseError } from 'pg';

/** Connections that are refused, cut or silent, as Node and its name look-up put it. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a Unix socket that is not there
]);

/**
 * Postgres' conditions that pass by themselves (https://www.postgresql.org/docs/current/errcodes-appendix.html):
 * 08 connection, 53 out of resources, 57P shut down, 57014 statement timeout, 25P03 idle transaction,
 * 25006 a standby that has not taken over yet, 40 rolled back for another's sake, 55P03 lock timeout.
 */
const PASSING_SQLSTATE = /^(08...|53...|57P0.|57014|25P03|25006|40...|55P03)$/;

/** The driver has no codes for these; they are its own words (pg 8 and its pool). */
const DRIVER_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/;

/** Tables that are to change are in use by others, who do not let go of them. */
export class TablesInUse extends Error {}

/** Whether the database was away or busy, so that trying again later may help. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TablesInUse) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error instanceof DatabaseError
    ? PASSING_SQLSTATE.test(code)
    : NETWORK_CODES.has(code) || DRIVER_WORDS.test(error.message);
}
