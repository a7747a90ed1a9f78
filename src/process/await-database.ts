/**
 * The order in which a process and its database start does not matter: until the database answers, the process
 * waits, says so, and answers health checks, so that whoever watches it sees what is missing.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isUnavailable } from '../db/unavailable.ts';
import type { Observe } from '../observe.ts';

const TRY_EVERY_MS = 1_000;

export interface AwaitDatabaseOptions {
  /** Answers health checks until the returned function is called. */
  serveMeanwhile: () => Promise<() => Promise<void>>;
  observe: Observe;
  /** Gives up. */
  stop: AbortSignal;
}

/**
 * Makes the first attempt at the database, and others until one is answered.
 * @throws what an attempt throws that waiting cannot mend, such as a wrong password; the reason of `stop`
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

/** The driver's words; where it tried several addresses of a name it has none, only a code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
