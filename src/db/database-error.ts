/** What an error of the database means for the whole process: an outage of some kind, or one statement's own trouble. */
import { DatabaseError } from 'pg';
import type { DatabaseCondition, Observation, OfNotification } from '../observe.ts';
import { withoutValues } from './loggable-error.ts';
import { isUnavailable } from './unavailable.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
/** Ended by an administrator, after a crash, as idle; and 08, a connection that broke. */
const TERMINATED = /^(57P0[1245]|08...)$/;
const CANNOT_CONNECT_NOW = '57P03';

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** The driver's own words for a connection that is not made in time. */
const UNREACHABLE_WORDS = /^(timeout exceeded when trying to connect|timeout expired)/;

/** @returns undefined for what is no outage: a deadlock, a statement that took too long, a fault of ours */
export function conditionOf(error: unknown): DatabaseCondition | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof DatabaseError) {
    if (code === DISK_FULL) return 'disk_full';
    if (code === TOO_MANY_CONNECTIONS) return 'too_many_connections';
    if (code === CANNOT_CONNECT_NOW) return 'unreachable';
    return TERMINATED.test(code) ? 'terminated' : undefined;
  }
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_WORDS.test(error.message)) return 'unreachable';
  return isUnavailable(error) ? 'terminated' : undefined;
}

/**
 * An error of the database as it is observed, without what Postgres quotes in it.
 * @param what was being done; before the message, where it helps
 */
export function databaseError(
  error: unknown,
  what?: string,
  of?: OfNotification,
): Extract<Observation, { kind: 'database_error' }> {
  const condition = conditionOf(error);
  const words = error instanceof Error ? wordsOf(withoutValues(error)) : String(error);
  const message = what === undefined ? words : `${what}: ${words}`;
  return { kind: 'database_error', ...(condition !== undefined && { condition }), message, ...of };
}

/** Where Node tried several addresses of a name, its error has a code and no words. */
function wordsOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
