/** What breaks. */
import { expect, vi } from 'vitest';
import type { Environment } from '../support/processes.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  /** As the row of the page has it, under `where`. */
  name: string;
  where: 'processes' | 'machine' | 'Postgres' | 'Redis' | 'gateways';
  /** Whether a gateway may take a push twice and answer neither, so that nobody knows what became of it. */
  leavesDoubt?: boolean;
  /** What the processes need in their environment for it, from their start. */
  settings?: Environment;
  /** Breaks it, and mends it. */
  strike(stage: Stage): Promise<void>;
}

/** A time that is the fault itself: nothing else can be waited for. */
export async function lasts(seconds: number): Promise<void> {
  const since = performance.now();
  const timeout = 2_000 * seconds + 5_000;
  await vi.waitFor(() => expect(performance.now() - since).toBeGreaterThan(1_000 * seconds), { timeout });
}
