/** Classifies database errors: an outage that concerns the whole process, or the failure of one statement. */
import { DatabaseError } from 'pg';
import type { DatabaseCondition, Observation, OfNotification } from '../observe.ts';
import { poolerAdvice } from './address/pooler.ts';
import { tlsAdvice } from './address/tls-advice.ts';
import { withoutValues } from './loggable-error.ts';
import { isUnavailable } from './unavailable.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
/** Connections ended by an administrator, by a crash or because they were idle; and class 08, broken connections. */
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
/** The driver's messages when it cannot connect in time. */
const UNREACHABLE_MESSAGES = /^(timeout exceeded when trying to connect|timeout expired)/;

/** @returns the kind of outage; undefined for other errors, such as a deadlock, a slow statement or a bug */
export function conditionOf(error: unknown): DatabaseCondition | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof DatabaseError) {
    if (code === DISK_FULL) return 'disk_full';
    if (code === TOO_MANY_CONNECTIONS) return 'too_many_connections';
    if (code === CANNOT_CONNECT_NOW) return 'unreachable';
    return TERMINATED.test(code) ? 'terminated' : undefined;
  }
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_MESSAGES.test(error.message)) return 'unreachable';
  return isUnavailable(error) ? 'terminated' : undefined;
}

/**
 * Makes the observation of a database error, without the values that Postgres quotes in it.
 * @param what the operation that failed; it becomes the prefix of the message
 */
export function databaseError(
  error: unknown,
  what?: string,
  of?: OfNotification,
): Extract<Observation, { kind: 'database_error' }> {
  const condition = conditionOf(error);
  const text =
    tlsAdvice(error) ??
    poolerAdvice(error) ??
    (error instanceof Error ? textOf(withoutValues(error)) : String(error));
  const message = what === undefined ? text : `${what}: ${text}`;
  return { kind: 'database_error', ...(condition !== undefined && { condition }), message, ...of };
}

/** If Node has tried several addresses of a name, its error has a code but no message. */
function textOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
