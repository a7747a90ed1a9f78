/**
 * Counts the devices of each app by platform and version, at most every 15 seconds, and large apps less often: counts
 * are a hundred times their duration apart. So the page of an app with millions of devices reads one row.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { countDevicesByKind, findDueApps, saveDevices } from './devices-store.ts';

const EVERY_MS = 15_000;
/** Slightly less than the interval of the job, so that an app is due at each run. */
const DUE_AFTER_MS = 14_000;
/** The pause after a count is this many times as long as the count. */
const REST = 100;
/** A device that has registered within this time is active. */
const ACTIVE_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** The apps whose last count failed, and when each may be counted again, in milliseconds since 1970. */
export type FailedApps = Map<string, number>;

/**
 * @param stop cancels the count in progress, and ends the run
 * @throws the error of the first count that failed, after all others were counted
 */
export async function countDueApps(
  { db, clock, failed }: { db: Kysely<Database>; clock: Clock; failed: FailedApps },
  stop: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  await withTryLock(db, 'daily_devices', async () => {
    const due = await findDueApps(db, { now: clock(), everyMs: DUE_AFTER_MS, rest: REST });
    for (const appId of due) {
      if (stop.aborted) return;
      const countedAt = clock();
      const startMs = countedAt.getTime();
      if (startMs < (failed.get(appId) ?? 0)) continue;
      const tookMs = (): number => Math.max(0, clock().getTime() - startMs);
      try {
        const activeSince = new Date(startMs - ACTIVE_DAYS * DAY_MS);
        const counts = await countDevicesByKind(db, { appId, activeSince, stop });
        await saveDevices(db, appId, counts, { countedAt, tookMs: tookMs() });
        failed.delete(appId);
      } catch (error) {
        if (stop.aborted) return;
        failed.set(appId, startMs + REST * tookMs());
        errors.push(error);
      }
    }
  });
  if (errors.length > 0) throw errors[0];
}

export function countDevicesJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  const failed: FailedApps = new Map();
  return {
    name: 'count-devices',
    everyMs: EVERY_MS,
    run: async (stop) => countDueApps({ db, clock, failed }, stop),
  };
}
