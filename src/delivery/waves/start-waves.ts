/** Starts the waves that are due. Several workers may try at the same time: each wave starts once. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../clock.ts';
import { databaseError, failureOf } from '../../db/database-error.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import type { Database } from '../../db/tables.ts';
import { jittered } from '../../scheduling/jitter.ts';
import type { Observe } from '../../observe.ts';
import { causeInWords, TRIES_MAX } from '../troubles/tries.ts';
import { attemptFailed } from '../troubles/trouble-store.ts';
import { giveUpWave } from './give-up-wave.ts';
import { findDueWaves, startWave, type WaveKey } from './wave-store.ts';

/** Waves per round: each is a transaction that inserts its slices. */
const AT_ONCE = 100;

interface Context {
  db: Kysely<Database>;
  clock: Clock;
  observe: Observe;
  /** 0 to 1, for the jitter of pauses. */
  random?: () => number;
}

/**
 * A wave that cannot be started does not hold up other notifications. It is tried again after growing pauses, and given up in the
 * end, as planning is (docs/decisions/0038).
 * @param start is kept for the next call
 * @throws the database's error if it is away; waves that have started by then are started
 */
export async function startDueWaves(context: Context, start = new SearchStart()): Promise<void> {
  const { db, clock } = context;
  for (;;) {
    const due = await findDueWaves(db, clock(), AT_ONCE, start);
    const failed = new Set<string>();
    for (const key of due) {
      if (failed.has(key.notificationId)) continue;
      if (!(await startOne(context, key))) failed.add(key.notificationId);
    }
    if (due.length < AT_ONCE) return;
  }
}

/** @returns false if it failed; a wave that another worker has started is fine */
async function startOne(context: Context, key: WaveKey): Promise<boolean> {
  const { db, observe } = context;
  const { notificationId, wave } = key;
  try {
    const started = await db.transaction().execute(async (transaction) => startWave(transaction, key));
    if (started === undefined) return true;
    const { devices, slices, action, requestId } = started;
    observe({ kind: 'wave_started', notificationId, requestId, wave, devices, slices, action });
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === 'away') throw error;
    observe(databaseError(error, `start wave ${wave} of ${notificationId}`));
    await storeFailure(context, key, { error, triesMax: TRIES_MAX[failure] });
    return false;
  }
}

async function storeFailure(
  { db, clock, observe, random = Math.random }: Context,
  key: WaveKey,
  { error, triesMax }: { error: unknown; triesMax: number },
): Promise<void> {
  const message = await causeInWords(db, error);
  const jitter = jittered(1_000, random) / 1_000;
  const failures = await attemptFailed(db, key, { message, now: clock(), jitter });
  if (failures < triesMax) return;
  const sentence = `a part was given up, because it could not be started in ${failures} attempts: ${message}`;
  const ended = await giveUpWave(db, key, { sentence, now: clock() });
  if (ended === undefined) return;
  const { notificationId } = key;
  observe({ kind: 'notification_ended', notificationId, ...ended, state: 'failed' });
}
