/**
 * Deletes audiences that were made on the fly and have not been used for a long time. Each statement deletes a bounded
 * number, with a pause after it, which keeps the load low. Two processes may run it: each skips rows that the other locked.
 */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import type { Observe } from '../observe.ts';
import { type PeriodicJob, repeatStep, type StepLimits } from '../scheduling/periodically.ts';
import { isAtRest, noFingerprint } from './delete.ts';

export interface ExpireContext {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  /** Days without use after which an audience is deleted. */
  expireDays: number;
}

const LIMITS: StepLimits = { limit: 500, pauseMs: 100 };
const EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * @param stop ends the run after the current statement
 * @returns how many audiences were deleted
 */
export async function expireAudiences(
  { db, clock, expireDays }: Omit<ExpireContext, 'observe'>,
  stop: AbortSignal,
  limits = LIMITS,
): Promise<number> {
  const now = clock();
  const usedBefore = new Date(now.getTime() - expireDays * DAY_MS);
  // Keeps an audience that is being used: it is locked, or its `last_used_at` has changed.
  const expireSome = async (limit: number): Promise<number> => {
    const { numAffectedRows } = await sql`
      with unused as (
        select a.app_id, a.id
        from audiences as a
        where a.kind = 'on_the_fly' and a.deleted_at is null and a.last_used_at < ${usedBefore} and ${isAtRest}
        order by a.last_used_at
        limit ${limit}
        for update skip locked
      )
      update audiences as a
      set deleted_at = ${now}, fingerprint = ${noFingerprint}
      from unused
      where a.app_id = unused.app_id and a.id = unused.id`.execute(db);
    return Number(numAffectedRows);
  };
  return (await repeatStep(expireSome, limits, stop)).rows;
}

export function expireAudiencesJob(context: ExpireContext): PeriodicJob {
  return {
    name: 'expire-audiences',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const audiences = await expireAudiences(context, stop);
      if (audiences > 0) context.observe({ kind: 'audiences_expired', audiences });
    },
  };
}
