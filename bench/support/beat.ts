import { setTimeout as wait } from 'node:timers/promises';

/**
 * Calls `act` at fixed times until `over` settles; a late call does not delay the next ones. `act` is awaited, so it should
 * only start longer work. Rejects if `over` rejects.
 */
export async function onBeat(
  over: Promise<unknown>,
  everyMs: number,
  act: () => void | Promise<void>,
): Promise<void> {
  const state = { over: false };
  const end = over.finally(() => {
    state.over = true;
  });
  const firstMs = performance.now();
  for (let beat = 1; !state.over; beat++) {
    await act();
    const restMs = firstMs + beat * everyMs - performance.now();
    await Promise.race([wait(Math.max(restMs, 0)), end]);
  }
  await end;
}
