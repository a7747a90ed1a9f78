/**
 * Lets four counts run at a time. A count may take seconds of several processors and holds a connection: without a limit,
 * counts could take all connections from registrations and sends.
 */
import { ApiError } from '../errors.ts';

export interface CountLimiter {
  /** @throws {ApiError} `unavailable` after 5 seconds of waiting; what the work throws */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A fifth of the pool (`db/connect.ts`), and more processors than most databases can spare. */
const CONCURRENCY = 4;
const WAIT_MS_MAX = 5_000;
const RETRY_AFTER_SECONDS = 10;

export function openCountLimiter(): CountLimiter {
  const waiting = new Set<() => void>();
  let running = 0;

  async function acquire(): Promise<void> {
    if (running < CONCURRENCY) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const timer = setTimeout(() => {
      waiting.delete(resolve);
      reject(
        new ApiError('unavailable', {
          message: 'Too many audiences are being counted; try again shortly.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      );
    }, WAIT_MS_MAX);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Passes the slot directly to the first caller that waits, so that no later one takes it. */
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
    async run(work) {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
