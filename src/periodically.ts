/**
 * Does some work now and every so often until closed, never twice at once: a turn that comes while the last one is
 * at work is left out.
 * @param work handles its own failures, and ends soon once `stop` is aborted
 * @returns `close` stops it and waits for what is under way
 */
export function startPeriodically(
  everyMs: number,
  work: (stop: AbortSignal) => Promise<void>,
): { close(): Promise<void> } {
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  const turn = (): void => {
    working ??= work(stop.signal).finally(() => {
      working = undefined;
    });
  };
  const timer = setInterval(turn, everyMs);
  turn();
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await working;
    },
  };
}
