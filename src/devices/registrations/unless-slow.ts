/**
 * Decides when a group of inserts starts: when the statement before has ended, because larger groups cost less per device. If
 * that statement is slow, it waits for a lock on one of its tokens, and the next one starts without it.
 */

/** Inserting 100 devices takes some 20 ms. */
const SLOW_MS = 100;

export interface UnlessSlow {
  /** Watches a statement. */
  watch: <Result>(statement: Promise<Result>) => Promise<Result>;
  /** Calls the task once, when the last statement has ended or is slow; soon, if none is in progress. */
  soon: (task: () => void) => void;
}

export function openUnlessSlow(): UnlessSlow {
  let last: Promise<unknown> | undefined;
  return {
    watch: async (statement) => {
      last = statement;
      try {
        return await statement;
      } finally {
        if (last === statement) last = undefined;
      }
    },
    soon: (task) => {
      if (last === undefined) {
        setImmediate(task);
        return;
      }
      let isStarted = false;
      const start = (): void => {
        if (isStarted) return;
        isStarted = true;
        clearTimeout(timer);
        task();
      };
      const timer = setTimeout(start, SLOW_MS);
      last.then(start, start);
    },
  };
}
