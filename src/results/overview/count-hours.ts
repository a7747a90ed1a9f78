/**
 * Counts what happens in each hour, so that a page that shows days reads a few rows and no notification. Sending and
 * storing pay nothing for it: it reads notifications from the index by end time, and opens by time.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import type { PeriodicJob } from '../../scheduling/periodically.ts';
import { countHours, readCountedUntil, saveCountedUntil } from './hours-store.ts';

const EVERY_MS = 15_000;
const HOUR_MS = 60 * 60_000;
/** An hour is counted again until this long after its end: clocks differ, and a transaction takes a moment. */
const LATE_MS = 10 * 60_000;
/** The first run counts this many hours back, as far as outcomes per device are kept. */
const BACK_MS = 31 * 24 * HOUR_MS;
/** The pause after a run is this many times as long as the run: the job takes at most a fiftieth of one processor. */
const REST = 50;

/**
 * Counts hours that are not counted yet or may have changed.
 * @param stop ends the run after the current statement
 * @param restMs nothing is done if the last run of any process is more recent than that
 * @returns whether it counted
 */
export async function countLatestHours(
  db: Kysely<Database>,
  clock: Clock,
  stop: AbortSignal,
  restMs = 0,
): Promise<boolean> {
  const counted = await withTryLock(db, 'hourly_counts', async () => {
    const now = clock().getTime();
    const until = await readCountedUntil(db, new Date(now - BACK_MS));
    if (until === undefined || now - until.getTime() < restMs) return false;
    const end = startOfHour(now) + HOUR_MS;
    for (let from = startOfHour(until.getTime() - LATE_MS); from < end; from += HOUR_MS) {
      if (stop.aborted) return true;
      const to = from + HOUR_MS; // one per statement, because a busy hour takes seconds
      await countHours(db, new Date(from), new Date(to));
      await saveCountedUntil(db, new Date(Math.min(to, now)));
    }
    return true;
  });
  return counted ?? false;
}

function startOfHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

export function countHoursJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  let tookMs = 0;
  return {
    name: 'count-hours',
    everyMs: EVERY_MS,
    run: async (stop) => {
      const startMs = clock().getTime();
      if (await countLatestHours(db, clock, stop, REST * tookMs)) tookMs = clock().getTime() - startMs;
    },
  };
}
