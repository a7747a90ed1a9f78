import type { Figures } from './figures.ts';
import type { PostgresServer } from './postgres.ts';
import type { Sink } from './sink.ts';

/** What every scenario is given. */
export interface BenchContext {
  /** Devices of a broadcast. */
  devices: number;
  /** Rounds; each adds one sample to every figure. */
  runs: number;
  /** How long a phase takes that has no natural end. */
  seconds: number;
  sink: Sink;
  postgres: PostgresServer;
  /** A Redis of this scenario's own; undefined where none is installed. */
  redisUrl: string | undefined;
  figures: Figures;
  /** Everything that is open: closed in the reverse order when the scenario ends, however it ends. */
  opened: AsyncDisposableStack;
  say: (line: string) => void;
}

/** Closes it when the scenario ends; at once where that has been, because the run was stopped. */
export function keepOpen<Part extends { stop(): Promise<void> }>(
  { opened }: Pick<BenchContext, 'opened'>,
  part: Part,
): Part {
  if (opened.disposed) {
    void part.stop();
    throw new Error('the run was stopped');
  }
  return opened.adopt(part, async (open) => open.stop());
}
