/**
 * Adds the entries of notifications that were stored before there were any, newest first, so that their pushes are found by
 * device and by user as well (docs/decisions/0049). It ends, and then costs a look-up a minute.
 */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { withTryLock } from '../../db/try-lock.ts';
import { pause, type PeriodicJob } from '../../scheduling/periodically.ts';
import { addEarlier, findMissing } from './recipient-store.ts';

const EVERY_MS = 60_000;
/** A step takes some 30 ms. */
const PER_STEP = 1_000;
const PAUSE_MS = 100;

/** Adds all that can be added now, unless another worker does. @param stop ends the run after the current statement */
export async function fillRecipients(
  db: Kysely<Database>,
  clock: Clock,
  stop: AbortSignal,
  { perStep = PER_STEP, pauseMs = PAUSE_MS } = {},
): Promise<void> {
  await withTryLock(db, 'fill-recipients', async () => {
    while (!stop.aborted) {
      const missing = await findMissing(db, clock());
      if (missing === undefined) return;
      await addEarlier(db, missing, perStep);
      await pause(pauseMs, stop);
    }
  });
}

export function fillRecipientsJob(db: Kysely<Database>, clock: Clock): PeriodicJob {
  return { name: 'fill-recipients', everyMs: EVERY_MS, run: async (stop) => fillRecipients(db, clock, stop) };
}
