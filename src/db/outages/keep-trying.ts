/** Repeats a statement whose loss would do harm, for as long as the database is away and the process lives. */
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { jittered } from '../../jitter.ts';
import { isUnavailable } from '../unavailable.ts';

/** Waits after the first failures double up to the longest: when the database is back, nothing waits much longer than that. */
const FIRST_RETRY_MS = 330;
const RETRY_MS_MAX = 2_000;
/** Tries of a statement that fails for a reason of its own: the waits take about seven seconds in all. */
const TRIES_MAX = 6;

/**
 * Classes of SQLSTATE that say something about the statement and its values, so that time alone does not help: feature, cardinality,
 * data, integrity, syntax and names, check option, raised (https://www.postgresql.org/docs/current/errcodes-appendix.html). The
 * others say something about the server: a role, a certificate or a database may be missing until a restore has finished.
 */
const OF_STATEMENT = /^(0A|21|22|23|42|44|P0)/;

/**
 * @param attempt must bear to run again after it has succeeded and only the answer was lost
 * @param onFailure called with the error before each wait
 * @param random 0 to 1, for the jitter
 * @throws the error of the last try, if it is not an outage
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { onFailure, random }: { onFailure: (error: unknown) => void; random: () => number },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= TRIES_MAX && !mayPass(error)) throw error;
      onFailure(error);
      await wait(jittered(Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX), random));
    }
  }
}

function mayPass(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof DatabaseError && !OF_STATEMENT.test(error.code ?? ''));
}
