/**
 * The sweep finds work for which no worker was woken: a `deliver_at` has come, a retry is due, a worker has died, or
 * Redis has lost a job. It starts single pushes in this worker and queues the slices of bulk notifications. Finding something
 * twice does no harm.
 */
import { watchClock } from '../../clock.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { DELIVER_JOBS_MAX, deliverJobs, drainJob, type Job } from '../../queue/job.ts';
import { RedisAway } from '../../queue/redis-errors.ts';
import type { DeliveryResources } from '../send/deliver.ts';
import { endPauses } from '../send/pace-store.ts';
import { wakeForPauses } from '../routes/route-store.ts';
import { freeOldClaims } from '../claims/claim-store.ts';
import { bringForward, SLICES_LATE_MS } from '../slice-store.ts';
import type { Drain, DrainContext } from '../start/drain.ts';
import { bringDueForward } from '../start/due.ts';
import { startDueWaves } from '../waves/start-waves.ts';
import { findUnworked } from './find-unworked.ts';

export interface SweepContext
  extends
    Pick<DeliveryResources, 'db' | 'clock' | 'observe' | 'mayTakeOver'>,
    Partial<Pick<DeliveryResources, 'random'>>,
    Pick<DrainContext, 'queue' | 'isFull'> {
  drain: Pick<Drain, 'run' | 'resume'>;
  /** Whether the clock has been set back since the previous sweep. */
  wasPutBack?: () => boolean;
  /** Where its searches begin; kept for the next sweep. Unless given, they search everything. */
  starts?: ReturnType<typeof openStarts>;
}

/** A notification is sent within two seconds of its `deliver_at`: one for the sweep, one for the work. */
const SWEEP_EVERY_MS = 1_000;

/** Runs one sweep. @throws the database's error */
export async function sweep(context: SweepContext): Promise<void> {
  const { db, drain, clock, isFull, wasPutBack, mayTakeOver = () => true, starts = openStarts() } = context;
  if (isFull?.() === true) return;
  if (wasPutBack?.() === true) {
    await endPauses(db, clock());
    await bringForward(db, clock());
    await bringDueForward(db, clock());
  }
  await wakeForPauses(db, clock());
  const takesOver = mayTakeOver();
  if (takesOver) await freeOldClaims(db, clock(), starts.claims);
  const jobs: Job[] = [];
  // Not through the queue, because a worker that died may still hold its drain job.
  if ((await drain.run()) === 'again') jobs.push(drainJob);
  await startDueWaves(context, starts.waves);
  const options = { slicesMax: DELIVER_JOBS_MAX, takesOver, start: starts.slices };
  for (const { lane, slices, ...notification } of await findUnworked(db, clock(), options)) {
    if (lane === 'direct') drain.resume(notification);
    else jobs.push(...deliverJobs(notification, slices));
  }
  await queueAll(context, jobs);
}

async function queueAll({ queue, observe }: SweepContext, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await queue.add(jobs);
  } catch (error) {
    if (error instanceof RedisAway) return; // logged already
    observe({ kind: 'queue_error', message: `sweep: ${String(error)}` });
  }
}

export function sweepJob(context: SweepContext): PeriodicJob {
  const wasPutBack = watchClock(context.clock, () => performance.now());
  const starts = openStarts();
  return {
    name: 'sweep',
    everyMs: SWEEP_EVERY_MS,
    run: async () => sweep({ ...context, wasPutBack, starts }),
  };
}

function openStarts() {
  return { claims: new SearchStart(), waves: new SearchStart(), slices: new SearchStart(SLICES_LATE_MS) };
}
