/**
 * Runs at most four counts at a time. A count may keep several processors busy for seconds, and holds a connection: without
 * a limit, counts could leave no connections for registrations and sends.
 */
import { ApiError } from '../errors.ts';

export interface CountLimiter {
  /** @throws {ApiError} `unavailable` after waiting for 5 seconds; also throws any error of `work` */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A fifth of the connection pool (`db/connect.ts`); few databases have processors to spare for more. */
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
