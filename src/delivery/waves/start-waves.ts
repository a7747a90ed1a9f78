/** Starts the waves that are due. Several workers may try at the same time: each wave starts once. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { databaseError, failureOf } from '../../db/database-error.ts';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import type { NotificationKey } from '../slice-store.ts';
import { findDueWaves, startWave } from './wave-store.ts';

/** Waves per round: each is a transaction that inserts its slices. */
const AT_ONCE = 100;

/**
 * A wave that cannot be started does not hold up the others; it is tried again by the next sweep.
 * @throws the database's error if it is away; waves that have started by then are started
 */
export async function startDueWaves({
  db,
  clock,
  observe,
}: {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
}): Promise<void> {
  const now = clock();
  for (;;) {
    const due = await findDueWaves(db, now, AT_ONCE);
    let failed = 0;
    for (const key of due) {
      const started = await startOne(db, key, observe);
      if (started === 'failed') failed += 1;
    }
    if (due.length < AT_ONCE || failed > 0) return;
  }
}

async function startOne(
  db: Kysely<Database>,
  key: NotificationKey & { wave: number },
  observe: Observe,
): Promise<'started' | 'failed'> {
  const { notificationId, wave } = key;
  try {
    const started = await db.transaction().execute(async (transaction) => startWave(transaction, key));
    if (started === undefined) return 'started'; // by another worker
    const { devices, slices, action, requestId } = started;
    observe({ kind: 'wave_started', notificationId, requestId, wave, devices, slices, action });
    return 'started';
  } catch (error) {
    if (failureOf(error) === 'away') throw error;
    observe(databaseError(error, `start wave ${wave} of ${notificationId}`));
    return 'failed';
  }
}
