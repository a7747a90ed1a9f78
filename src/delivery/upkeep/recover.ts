/**
 * The sweep: finds what is due and what lies unworked (a job lost with Redis, a worker that died, a
 * `deliver_at` that has come, a slice put off) and rings for it again. Every worker sweeps; a bell rung
 * twice does no harm.
 */
import type { Kysely } from 'kysely';
import { type Clock, watchClock } from '../../clock.ts';
import { databaseError } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { startPeriodically } from '../../periodically.ts';
import type { Job, Queue } from '../../queue/queue.ts';
import { RedisAway } from '../../queue/redis-errors.ts';
import { BELLS_MAX, deliverJobs, planJob } from '../jobs.ts';
import { endPauses } from '../send/pace-store.ts';
import { findDue } from '../start/plan.ts';
import { wakeForPauses } from '../routes/route-store.ts';
import { bringForward, findUnworked } from '../slice-store.ts';

export interface RecoverContext {
  db: Kysely<Database>;
  queue: Pick<Queue, 'add'>;
  clock: Clock;
  observe: Observe;
  /** See `WorkerResources`. */
  isFull?: () => boolean;
  /** Whether the clock has been put back since the sweep before. */
  wasPutBack?: () => boolean;
}

/** A `deliver_at` is kept to within two seconds: one for the sweep, one for the work. */
const SWEEP_EVERY_MS = 1_000;

/** One sweep. Never rejects: what fails is observed, and the next sweep comes. */
export async function recover(context: RecoverContext): Promise<void> {
  const { db, queue, clock, observe, isFull, wasPutBack } = context;
  if (isFull?.() === true) return;
  let jobs: Job[];
  try {
    if (wasPutBack?.() === true) {
      await endPauses(db, clock());
      await bringForward(db, clock());
    }
    await wakeForPauses(db, clock());
    jobs = await findLost(db, clock());
  } catch (error) {
    observe(databaseError(error, 'sweep'));
    return;
  }
  if (jobs.length === 0) return;
  try {
    await queue.add(jobs);
  } catch (error) {
    if (error instanceof RedisAway) return; // the queue has told of it
    observe({ kind: 'queue_error', message: `sweep: ${String(error)}` });
  }
}

/** The bells of all that is due or unworked. */
async function findLost(db: Kysely<Database>, now: Date): Promise<Job[]> {
  const due = await findDue(db, now);
  const unworked = await findUnworked(db, now, BELLS_MAX);
  return [
    ...due.map((key) => planJob(key)),
    ...unworked.flatMap(({ lane, slices, ...key }) => deliverJobs(key, lane, slices)),
  ];
}

/** Sweeps every second until closed. */
export function startRecovering(context: RecoverContext): { close(): Promise<void> } {
  const wasPutBack = watchClock(context.clock, () => performance.now());
  return startPeriodically(SWEEP_EVERY_MS, async () => recover({ ...context, wasPutBack }));
}
