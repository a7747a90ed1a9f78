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

interface Group {
  callers: number;
  controller: AbortController;
  /** The work of these callers that has not ended. */
  running: Set<Promise<unknown>>;
}

export function openWaitingCallers(): WaitingCallers {
  const groups = new Map<string, Group>();

  /**
   * If all callers of a group have hung up, waits until its work has ended, so that a new caller does not share aborted
   * work.
   */
  async function join(key: string): Promise<Group> {
    for (;;) {
      const group = groups.get(key) ?? { callers: 0, controller: new AbortController(), running: new Set() };
      groups.set(key, group);
      if (!group.controller.signal.aborted) {
        group.callers += 1;
        return group;
      }
      await Promise.allSettled(group.running);
      if (groups.get(key) === group) groups.delete(key);
    }
  }

  return {
    async wait(key, caller, work) {
      const group = await join(key);
      let isWaiting = true;
      const leave = (): void => {
        if (!isWaiting) return;
        isWaiting = false;
        group.callers -= 1;
        if (group.callers === 0) group.controller.abort();
      };
      caller.addEventListener('abort', leave);
      if (caller.aborted) leave();
      const running = work(group.controller.signal);
      group.running.add(running);
      try {
        return await running;
      } finally {
        group.running.delete(running);
        caller.removeEventListener('abort', leave);
        if (isWaiting) group.callers -= 1;
        if (group.callers === 0 && group.running.size === 0 && groups.get(key) === group) groups.delete(key);
      }
    },
  };
}
