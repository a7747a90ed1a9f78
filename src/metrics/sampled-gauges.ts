/**
 * Gauges that are sampled at a scrape, because their changes cannot be counted: the depth of the queue, the delivery
 * lag, the waves that wait and the use of the database pool.
 */
import type { Clock } from '../clock.ts';
import type { PoolUse } from '../db/connect.ts';
import { withinTime } from '../scheduling/time-limit.ts';

export interface GaugeSamples {
  /** Undefined if the queue did not answer in time. */
  queueJobs: Readonly<Record<'direct' | 'bulk', number>> | undefined;
  /** In milliseconds; undefined if the database did not answer in time. */
  lagMs: number | undefined;
  /** Undefined if the database did not answer in time. */
  waves: WaitingWaves | undefined;
  pool: PoolUse;
  /** Every code of a trouble; undefined: this thread has no list of them. */
  troubles?: readonly { code: string; isPresent: boolean }[] | undefined;
  /** Undefined if there is no read replica, or it is not used. */
  replicaLagMs?: number | undefined;
}

export interface WaitingWaves {
  /** How late the oldest wave is. */
  lagMs: number;
  /** The devices that wait. */
  heldDevices: number;
}

export interface Sources {
  clock: Clock;
  queueJobs: () => Promise<Readonly<Record<'direct' | 'bulk', number>>>;
  lagMs: () => Promise<number>;
  waves: () => Promise<WaitingWaves>;
  pool: () => PoolUse;
  troubles?: () => readonly { code: string; isPresent: boolean }[];
  /** Undefined: there is no read replica. */
  replicaLagMs?: (() => number | undefined) | undefined;
}

/** The queue and the database are asked no more often than this, however many clients scrape. */
const KEEP_MS = 1_000;
/** Well below the ten seconds that Prometheus waits for a scrape. */
const ANSWER_TIMEOUT_MS = 2_000;

/** @returns a function that never rejects, and resolves in little more than `timeoutMs` */
export function openSampledGauges(
  { clock, queueJobs, lagMs, waves, pool, troubles, replicaLagMs }: Sources,
  timeoutMs = ANSWER_TIMEOUT_MS,
): () => Promise<GaugeSamples> {
  const readQueue = keptFor(queueJobs, clock, timeoutMs);
  const readLag = keptFor(lagMs, clock, timeoutMs);
  const readWaves = keptFor(waves, clock, timeoutMs);
  return async () => {
    const [jobs, lag, waiting] = await Promise.all([readQueue(), readLag(), readWaves()]);
    const samples = { queueJobs: jobs, lagMs: lag, waves: waiting, pool: pool(), troubles: troubles?.() };
    return replicaLagMs === undefined ? samples : { ...samples, replicaLagMs: replicaLagMs() };
  };
}

/**
 * Caches an answer for a second. Concurrent calls share one request.
 * @returns a function that resolves with undefined if no answer comes in time
 */
export function keptFor<T>(
  ask: () => Promise<T>,
  clock: Clock,
  timeoutMs = ANSWER_TIMEOUT_MS,
): () => Promise<T | undefined> {
  let kept: { answer: T | undefined; untilMs: number } | undefined;
  let asking: Promise<T | undefined> | undefined;

  async function askNow(): Promise<T | undefined> {
    const answer = await ask().catch(() => undefined); // reported where it occurred
    kept = { answer, untilMs: clock().getTime() + KEEP_MS };
    asking = undefined;
    return answer;
  }

  return async () => {
    if (kept !== undefined && clock().getTime() < kept.untilMs) return kept.answer;
    asking ??= askNow();
    return withinTime(timeoutMs, asking).catch(() => undefined);
  };
}
