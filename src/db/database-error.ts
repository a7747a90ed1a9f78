/** Classifies database errors: an outage that concerns the whole process, or the failure of one statement. */
import { DatabaseError } from 'pg';
import type { DatabaseCondition, Observation, OfNotification } from '../observe.ts';
import { poolerAdvice } from './address/pooler.ts';
import { tlsAdvice } from './address/tls-advice.ts';
import { withoutValues } from './loggable-error.ts';
import { isNotConnected, isUnavailable } from './unavailable.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONDITIONS: ReadonlyMap<string, DatabaseCondition> = new Map([
  ['53100', 'disk_full'],
  ['53200', 'out_of_memory'],
  ['53300', 'too_many_connections'],
  ['57P03', 'unreachable'],
  ['25006', 'read_only'],
  ['42501', 'permission_denied'],
  // A column, a function, a table or a schema is missing.
  ['42703', 'wrong_schema'],
  ['42883', 'wrong_schema'],
  ['42P01', 'wrong_schema'],
  ['3F000', 'wrong_schema'],
]);
/** Connections ended by an administrator, by a crash or because they were idle; and class 08, broken connections. */
const TERMINATED = /^(57P0[1245]|08...)$/;

/** The driver's message when it cannot connect in time. */
const CANNOT_CONNECT = /^timeout expired/;
/** The message of the driver's pool when a statement has waited too long for one of its connections. */
const NO_FREE_CONNECTION = /^timeout exceeded when trying to connect/;

/** Conditions of which a single piece of work may be the cause. */
const OF_STATEMENTS: ReadonlySet<DatabaseCondition> = new Set(['permission_denied', 'wrong_schema']);

/** @returns the kind of outage; undefined for other errors, such as a deadlock, a slow statement or a bug */
export function conditionOf(error: unknown): DatabaseCondition | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof DatabaseError) {
    return CONDITIONS.get(code) ?? (TERMINATED.test(code) ? 'terminated' : undefined);
  }
  if (NO_FREE_CONNECTION.test(error.message)) return 'no_free_connection';
  if (isNotConnected(error) || CANNOT_CONNECT.test(error.message)) return 'unreachable';
  return isUnavailable(error) ? 'terminated' : undefined;
}

/**
 * What a failed piece of work should do:
 * - `away`: wait, however long it takes. The database cannot be used at all.
 * - `passing`: try again for a long time: a lock, a time limit, a deadlock, missing rights, or a missing part of the
 *   schema.
 * - `lasting`: try again a few times: data that Postgres refuses, or a fault of ours. It will probably fail again.
 */
export type Failure = 'away' | 'passing' | 'lasting';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: by class or by code. */
const LASTING = /^(0A|21|22|23|2F|38|39|44|54|P0)/;

/** @param error an error of a statement, or one that has such an error as its cause */
export function failureOf(error: unknown): Failure {
  const condition = conditionOf(error);
  if (condition !== undefined) return OF_STATEMENTS.has(condition) ? 'passing' : 'away';
  if (error instanceof DatabaseError) return LASTING.test(error.code ?? '') ? 'lasting' : 'passing';
  return error instanceof Error && error.cause !== undefined ? failureOf(error.cause) : 'lasting';
}

/** The error in words that may be shown to the owner of the data, without values. */
export function failureInWords(error: unknown): string {
  if (error instanceof DatabaseError) return withoutValues(error).message;
  if (!(error instanceof Error)) return 'an internal error';
  return error.cause === undefined
    ? `an internal error (${error.name}); the log of the worker has it`
    : failureInWords(error.cause);
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
