/**
 * Runs at most four counts at a time. A count may keep several processors busy for seconds, and holds a connection: without
 * a limit, counts could leave no connections for registrations and sends.
 */
import { ApiError } from '../api/errors.ts';

export interface CountLimiter {
  /**
   * @param signal ends the wait when its caller has hung up; `work` itself decides when it ends
   * @throws {ApiError} `unavailable` after waiting for 5 seconds, or if the signal aborts; also throws any error of
   *   `work`
   */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** A fifth of the connection pool (`db/connect.ts`); few databases have processors to spare for more. */
const CONCURRENCY = 4;
const WAIT_MS_MAX = 5_000;
const RETRY_AFTER_SECONDS = 10;

export function openCountLimiter(): CountLimiter {
  const waiting = new Set<() => void>();
  let running = 0;

  async function acquire(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) throw new ApiError('unavailable');
    if (running < CONCURRENCY) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const giveUp = (error: ApiError): void => {
      waiting.delete(resolve);
      reject(error);
    };
    const timer = setTimeout(() => {
      giveUp(
        new ApiError('unavailable', {
          message: 'Too many audiences are being counted; try again shortly.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      );
    }, WAIT_MS_MAX);
    const hangUp = (): void => giveUp(new ApiError('unavailable'));
    signal?.addEventListener('abort', hangUp);
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', hangUp);
    });
  }

  /** Passes the slot directly to the first waiting caller, so that no later caller takes it. */
  function release(): void {
    const [first] = waiting;
    if (first === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(first);
    first();
  }

  return {
    async run(work, signal) {
      await acquire(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
