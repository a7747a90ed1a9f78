/**
 * Lets a few counts run at a time. A count may take seconds of several processors, and each holds a connection: were
 * they to take all of them, no device could be registered and nothing sent meanwhile.
 */
import { ApiError } from '../errors.ts';

export interface CountingLine {
  /** @throws {ApiError} `unavailable` where its turn does not come in time; what the work throws */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A fifth of the pool (`db/connect.ts`), and more than most databases have processors to spare. */
const AT_ONCE_MAX = 4;
const WAIT_MS_MAX = 5_000;
const RETRY_AFTER_SECONDS = 10;

export function openCountingLine(): CountingLine {
  const waiting = new Set<() => void>();
  let running = 0;

  async function turn(): Promise<void> {
    if (running < AT_ONCE_MAX) {
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

  /** Hands the place on, so that nobody who comes later takes it. */
  function leave(): void {
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
      await turn();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
