/**
 * Lets a process start before its database. Until the database answers, the process logs that it waits, and answers
 * health checks, so that monitoring shows the cause.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isUnavailable } from '../db/unavailable.ts';
import type { Observe } from '../observe.ts';

const TRY_EVERY_MS = 1_000;

export interface AwaitDatabaseOptions {
  /** Starts to answer health checks; the returned function stops that. */
  serveMeanwhile: () => Promise<() => Promise<void>>;
  observe: Observe;
  /** Ends the wait. */
  stop: AbortSignal;
}

/**
 * Repeats the attempt until the database answers.
 * @throws the error of an attempt if waiting cannot help, such as a wrong password; the abort error once `stop` is aborted
 */
export async function whenDatabaseAnswers<T>(
  attempt: () => Promise<T>,
  { serveMeanwhile, observe, stop }: AwaitDatabaseOptions,
): Promise<T> {
  let endServing: (() => Promise<void>) | undefined;
  let said = '';
  try {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
        if (!isUnavailable(cause)) throw error;
        const message = describe(cause);
        if (message !== said) observe({ kind: 'waiting_for_database', message });
        said = message;
      }
      endServing ??= await serveMeanwhile();
      await wait(TRY_EVERY_MS, undefined, { signal: stop });
    }
  } finally {
    await endServing?.();
  }
}

/**
 * The driver's message, or its code if the message is empty: it is empty after several addresses of a name have failed.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
