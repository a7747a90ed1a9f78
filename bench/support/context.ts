import type { Figures } from './figures.ts';
import type { PostgresServer } from './postgres.ts';
import type { RedisServer } from './redis.ts';
import type { Sink } from '../sinks/sink.ts';

/** The input of every scenario. */
export interface BenchContext {
  /** Devices of a bulk notification. */
  devices: number;
  /** Rounds; each adds one sample to every figure. */
  runs: number;
  /** The duration of phases without a natural end. */
  seconds: number;
  /** How often a process is killed; only `ten-million` does. */
  kill: number;
  /** A part of the names of the peers or deployments to measure; undefined: all. For `peers` and `old-snapshot`. */
  only: string | undefined;
  sink: Sink;
  postgres: PostgresServer;
  /** A Redis for this scenario; undefined if none is installed. */
  redis: RedisServer | undefined;
  figures: Figures;
  /** Open resources: closed in reverse order when the scenario ends or fails. */
  opened: AsyncDisposableStack;
  say: (line: string) => void;
}

/** Registers a resource to be closed when the scenario ends; at once if it has ended, because the run was stopped. */
export function keepOpen<Opened extends { stop(): Promise<void> }>(
  { opened }: Pick<BenchContext, 'opened'>,
  one: Opened,
): Opened {
  if (opened.disposed) {
    void one.stop();
    throw new Error('the run was stopped');
  }
  return opened.adopt(one, async (open) => open.stop());
}
