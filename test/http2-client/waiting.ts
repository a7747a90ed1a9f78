/** How tests of the pool hold time, wait, and count. */
import { onTestFinished, vi } from 'vitest';
import type { Answer } from '../../src/http2-client/answer.ts';

/** How long somebody has waited is for the test to say, however slow the machine is. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** As `vi.waitFor`, which would move the test's clock. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const untilMs = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > untilMs) throw new Error('it did not come to that in time');
    await new Promise(setImmediate);
  }
}

export function kinds(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of answers) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
