/** Held clocks, waiting and counting for the tests of the pool. */
import { onTestFinished, vi } from 'vitest';
import type { Answer } from '../src/answer.ts';

/** For waits that only guard against hanging: on a busy machine, anything may be late by several seconds. */
export const PATIENCE = { timeout: 30_000 } as const;

/** Holds the monotonic clock, so that timeouts run out only when the test says so. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Like `vi.waitFor`, but leaves the held clock alone. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const untilMs = Date.now() + PATIENCE.timeout;
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
