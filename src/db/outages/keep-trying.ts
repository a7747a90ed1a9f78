/** Repeats a statement whose loss would do harm, for as long as the database is away and the process lives. */
import { setTimeout as waitMs } from 'node:timers/promises';
import { jittered } from '../../scheduling/jitter.ts';
import { failureOf } from '../database-error.ts';

/** Waits after the first failures double up to the longest: when the database is back, nothing waits much longer than that. */
const FIRST_RETRY_MS = 330;
const RETRY_MS_MAX = 2_000;
const TRIES_MAX = 6;

export interface TryOptions {
  /** Called with the error before each wait. */
  onFailure: (error: unknown) => void;
  /** 0 to 1, for the jitter. */
  random: () => number;
  /**
   * How often to try a statement whose values Postgres refuses; by default the waits take about seven seconds in all.
   */
  triesMax?: number | undefined;
  /** Waits for this number of milliseconds. */
  wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/**
 * @param attempt may run again after it has succeeded and only the answer was lost
 * @throws the error of the last try, if waiting does not help
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  { onFailure, random, triesMax = TRIES_MAX, wait = waitMs }: TryOptions,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= triesMax && failureOf(error) === 'lasting') throw error;
      onFailure(error);
      await wait(jittered(Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX), random));
    }
  }
}
