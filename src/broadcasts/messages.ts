/** The messages between the broadcast thread and the first thread. They are copied, so they are plain data. */
import type { Config } from '../process/config.ts';
import type { Counts } from '../metrics/metrics.ts';
import type { Observation } from '../observe.ts';
import type { DeliverJob, JobResult } from '../queue/job.ts';

/** The data that the thread is started with. */
export interface ThreadData {
  config: Config;
  /** Of the embedded database as well. */
  databaseUrl: string;
}

export type ToThread =
  | { kind: 'deliver'; run: number; job: DeliverJob }
  /** The run is to hand its slice on. */
  | { kind: 'stop'; run: number }
  | { kind: 'read_counts' }
  /** When nothing runs any more. */
  | { kind: 'close' };

export type FromThread =
  | { kind: 'ready' }
  /** The run only waits for answers now. */
  | { kind: 'gave_way'; run: number }
  | { kind: 'ran'; run: number; result: JobResult }
  | { kind: 'logged'; observation: Observation }
  | { kind: 'counts'; counts: Counts };
