/** Repeats a statement whose loss would do harm, for as long as the database is away and the process lives. */
import { setTimeout as wait } from 'node:timers/promises';
import { jittered } from '../../jitter.ts';
import { failureOf } from '../database-error.ts';

/** Waits after the first failures double up to the longest: when the database is back, nothing waits much longer than that. */
const FIRST_RETRY_MS = 330;
const RETRY_MS_MAX = 2_000;
/** Tries of a statement that Postgres refuses for its values: the waits take about seven seconds in all. */
const TRIES_MAX = 6;

/**
 * @param attempt must bear to run again after it has succeeded and only the answer was lost
 * @param onFailure called with the error before each wait
 * @param random 0 to 1, for the jitter
 * @throws the error of the last try, if time alone does not help
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { onFailure, random }: { onFailure: (error: unknown) => void; random: () => number },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= TRIES_MAX && failureOf(error) === 'lasting') throw error;
      onFailure(error);
      await wait(jittered(Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX), random));
    }
  }
}
