/** Starts the waves that are due. Several workers may try at the same time: each wave starts once. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { databaseError, failureOf } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { findDueWaves, startWave } from './wave-store.ts';
import type { WaveKey, WaveTries } from './wave-tries.ts';

/** Waves per round: each is a transaction that inserts its slices. */
const AT_ONCE = 100;

/**
 * A wave that cannot be started does not hold up the others; it is tried again after a pause.
 * @param options.tries those of this process
 * @throws the database's error if it is away; waves that have started by then are started
 */
export async function startDueWaves({
  db,
  clock,
  observe,
  tries,
}: {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  tries: WaveTries;
}): Promise<void> {
  const now = clock();
  for (;;) {
    const due = await findDueWaves(db, now, { limit: AT_ONCE, except: tries.pausing(now) });
    for (const key of due) {
      if (await startOne(db, key, observe)) tries.started(key);
      else tries.failed(key, now);
    }
    if (due.length < AT_ONCE) return;
  }
}

/** @returns false if it failed; a wave that another worker has started is fine */
async function startOne(db: Kysely<Database>, key: WaveKey, observe: Observe): Promise<boolean> {
  const { notificationId, wave } = key;
  try {
    const started = await db.transaction().execute(async (transaction) => startWave(transaction, key));
    if (started === undefined) return true;
    const { devices, slices, action, requestId } = started;
    observe({ kind: 'wave_started', notificationId, requestId, wave, devices, slices, action });
    return true;
  } catch (error) {
    if (failureOf(error) === 'away') throw error;
    observe(databaseError(error, `start wave ${wave} of ${notificationId}`));
    return false;
  }
}
