/**
 * Keeps a notification within its `max_recipients`, however many more devices match after planning has counted them.
 * Slices run at the same time in several workers, so each asks for its devices before it sends. A later attempt at a
 * slice keeps what the slice has.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { SliceOutcomes } from '../outcomes/slice-outcomes.ts';
import { held, type LeasedSlice } from '../slice-store.ts';

/**
 * @param limit the `max_recipients` of the notification
 * @returns a function that is called with each page of devices, and returns those that may be sent to: all,
 *   as long as the limit is not reached, except devices with an outcome
 */
export function openAllotment(db: Kysely<Database>, outcomes: SliceOutcomes, limit: number) {
  /** Devices of this attempt that may be sent to. */
  let taken = 0;
  return async <Device extends { id: string }>(page: readonly Device[]): Promise<readonly Device[]> => {
    const pending = outcomes.pending(page);
    const before = outcomes.earlierSize + taken;
    const allotted = await allot(db, outcomes.slice, { wanted: before + pending.length, limit });
    const free = pending.slice(0, Math.max(0, allotted - before));
    taken += free.length;
    return free;
  };
}

/**
 * Allots devices to a slice, so that it may send to `wanted` in all, or to as many as the limit leaves.
 * @returns how many it may send to in all, in all its attempts; 0 if another worker has the slice
 */
async function allot(
  db: Kysely<Database>,
  slice: LeasedSlice,
  { wanted, limit }: { wanted: number; limit: number },
): Promise<number> {
  const { appId, notificationId } = slice;
  return db.transaction().execute(async (transaction) => {
    // Locks the slice before the notification, like the statements that save outcomes.
    const ofSlice = await sql<{ allotted: number }>`
      select allotted from delivery_slices where ${held(slice)} for no key update`.execute(transaction);
    const has = ofSlice.rows[0]?.allotted;
    if (has === undefined) return 0;
    if (has >= wanted) return has;
    const ofAll = await sql<{ allotted: number }>`
      select allotted from notifications where app_id = ${appId} and id = ${notificationId}
      for no key update`.execute(transaction);
    const given = Math.min(wanted - has, Math.max(0, limit - (ofAll.rows[0]?.allotted ?? limit)));
    if (given === 0) return has;
    await sql`update delivery_slices set allotted = allotted + ${given} where ${held(slice)}`.execute(
      transaction,
    );
    await sql`update notifications set allotted = allotted + ${given}
      where app_id = ${appId} and id = ${notificationId}`.execute(transaction);
    return has + given;
  });
}
