/** Aborts work that several callers share when the last of them has hung up. */

export interface WaitingCallers {
  /**
   * @param key identifies the work: calls with the same key share it
   * @param caller aborts when this caller has hung up
   * @param work gets a signal that aborts when no caller of this key waits any more
   */
  wait<Result>(
    key: string,
    caller: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
}

interface SharedWork {
  callers: number;
  controller: AbortController;
  /** The work of these callers that has not ended. */
  running: Set<Promise<unknown>>;
}

export function openWaitingCallers(): WaitingCallers {
  const works = new Map<string, SharedWork>();

  /**
   * If all callers of a key have hung up, waits until its work has ended, so that a new caller does not share aborted
   * work.
   */
  async function join(key: string): Promise<SharedWork> {
    for (;;) {
      const shared = works.get(key) ?? { callers: 0, controller: new AbortController(), running: new Set() };
      works.set(key, shared);
      if (!shared.controller.signal.aborted) {
        shared.callers += 1;
        return shared;
      }
      await Promise.allSettled(shared.running);
      if (works.get(key) === shared) works.delete(key);
    }
  }

  return {
    async wait(key, caller, work) {
      const shared = await join(key);
      let isWaiting = true;
      const leave = (): void => {
        if (!isWaiting) return;
        isWaiting = false;
        shared.callers -= 1;
        if (shared.callers === 0) shared.controller.abort();
      };
      caller.addEventListener('abort', leave);
      if (caller.aborted) leave();
      const running = work(shared.controller.signal);
      shared.running.add(running);
      try {
        return await running;
      } finally {
        shared.running.delete(running);
        caller.removeEventListener('abort', leave);
        if (isWaiting) shared.callers -= 1;
        if (shared.callers === 0 && shared.running.size === 0 && works.get(key) === shared) works.delete(key);
      }
    },
  };
}
