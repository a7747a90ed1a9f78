/** Runs an action once at a time. Calls during a run share the next run, never one that has already started. */
export function shareNext<T>(action: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  async function run(): Promise<T> {
    const current = action().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  }

  return async () => {
    if (running === undefined) return run();
    next ??= running
      .catch(() => undefined)
      .then(async () => {
        next = undefined;
        return run();
      });
    return next;
  };
}
