import { setTimeout as wait } from 'node:timers/promises';

/**
 * Acts on a fixed beat until `over` settles: where one beat is late the next is not. `act` is awaited: what
 * should not hold up the beat is begun there and gathered elsewhere. Rejects with `over`.
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
