/** What breaks. */
import { expect, vi } from 'vitest';
import type { Environment } from '../support/processes.ts';
import type { Servers, Stage } from './stage.ts';

export interface Fault {
  /** As the row of the page has it, under `where`. */
  name: string;
  where: 'processes' | 'machine' | 'Postgres' | 'Redis' | 'gateways';
  /** Whether a gateway may take a push twice and answer neither, so that nobody knows what became of it. */
  leavesDoubt?: boolean;
  /** What the processes need in their environment for it, from their start. */
  settings?: Environment;
  /** @returns why this machine cannot have it, if it cannot: its cells are skipped */
  refusal?(): Promise<string | undefined>;
  /** Builds what the cell needs before its processes start. */
  prepare?(servers: Servers): Promise<Stand>;
  /** Breaks it, and mends it. */
  strike(stage: Stage): Promise<void>;
}

/** What a fault needs that only its own cells have: a second server, a small disk. */
export interface Stand {
  /** What the processes need in their environment. */
  settings?: Environment;
  /** Called once the processes have ended. Leaves the servers as they were, without the data of the cell. */
  close(): Promise<void>;
}

type Placeless = Omit<Fault, 'where'>;

/** Faults of one place. */
export function faultsOf(where: Fault['where'], faults: readonly Placeless[]): readonly Fault[] {
  return faults.map((fault) => ({ where, ...fault }));
}

/** A fault that needs a stand. */
export function onStand<Built extends Stand>(
  own: Pick<Fault, 'name' | 'refusal'>,
  build: (servers: Servers) => Promise<Built>,
  strike: (stand: Built, stage: Stage) => Promise<void>,
): Placeless {
  let stand: Built | undefined;
  return {
    ...own,
    prepare: async (servers) => {
      stand = await build(servers);
      return stand;
    },
    strike: async (stage) => {
      if (stand === undefined) throw new Error('the stand is built before the cell begins');
      await strike(stand, stage);
    },
  };
}

/** A time that is the fault itself: nothing else can be waited for. */
export async function lasts(seconds: number): Promise<void> {
  const since = performance.now();
  const timeout = 2_000 * seconds + 5_000;
  await vi.waitFor(() => expect(performance.now() - since).toBeGreaterThan(1_000 * seconds), { timeout });
}
