/** The messages between the bulk thread and the first thread. They are copied, so they must be plain data. */
import type { SharedByThreads } from '../delivery/shared-by-threads.ts';
import type { Config } from '../process/config.ts';
import type { Counts } from '../metrics/metrics.ts';
import type { Observation } from '../observe.ts';
import type { DeliverJob, JobResult } from '../queue/job.ts';

/** The data that the thread gets when it starts. */
export interface ThreadData {
  config: Config;
  /** Also set for the embedded database. */
  databaseUrl: string;
  /** The counters of its unsaved outcomes, in memory that both threads read (`unsavedCounters`). */
  unsaved: Int32Array;
  shared: SharedByThreads;
  /** The number of bulk threads of the process. */
  threads: number;
}

export type ToThread =
  | { kind: 'deliver'; run: number; job: DeliverJob }
  /** The run should give its slice back. */
  | { kind: 'stop'; run: number }
  | { kind: 'read_counts' }
  /** Sent when nothing runs any more. */
  | { kind: 'close' };

export type FromThread =
  | { kind: 'ready' }
  /** The run has sent all its pushes and only waits for answers. */
  | { kind: 'gave_way'; run: number }
  | { kind: 'ran'; run: number; result: JobResult }
  | { kind: 'logged'; observation: Observation }
  | { kind: 'counts'; counts: Counts };
