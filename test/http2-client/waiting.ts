/** Held clocks, waiting and counting for the tests of the pool. */
import { onTestFinished, vi } from 'vitest';
import type { Answer } from '../../src/http2-client/answer.ts';

/** Holds the monotonic clock, so that timeouts run out only when the test says so. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Like `vi.waitFor`, but leaves the held clock alone. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const untilMs = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > untilMs) throw new Error('the condition did not hold in time');
    await new Promise(setImmediate);
  }
}

export function kinds(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of answers) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
