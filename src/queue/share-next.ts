/**
 * Runs an action once at a time. Calls during a run share the next run, never one that has already started. The first
 * call after a quiet time runs at once.
 * @param pause begins with each run; the next run waits for its end, so a burst of calls costs few runs. Never rejects.
 */
export function shareNext<T>(action: () => Promise<T>, pause: () => Promise<void>): () => Promise<T> {
  let previous: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;

  async function run(): Promise<T> {
    const current = action();
    previous = Promise.allSettled([current, pause()]).finally(() => {
      previous = undefined; // the only run: the next has not begun
    });
    return current;
  }

  return async () => {
    if (next !== undefined) return next;
    if (previous === undefined) return run();
    next = previous.then(async () => {
      next = undefined;
      return run();
    });
    return next;
  };
}
