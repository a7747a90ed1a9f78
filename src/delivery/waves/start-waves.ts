/** Starts the waves that are due. Several workers may try at the same time: each wave starts once. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { Observe } from '../../observe.ts';
import { findDueWaves, startWave } from './wave-store.ts';

/** Waves per round: each is a transaction that inserts its slices. */
const AT_ONCE = 100;

/** @throws the database's error; waves that have started by then are started */
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
    for (const key of due) {
      const started = await db.transaction().execute(async (transaction) => startWave(transaction, key));
      if (started === undefined) continue;
      const { notificationId, wave } = key;
      const { devices, slices, action, requestId } = started;
      observe({ kind: 'wave_started', notificationId, requestId, wave, devices, slices, action });
    }
    if (due.length < AT_ONCE) return;
  }
}
