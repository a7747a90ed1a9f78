import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { isScheduled } from '../../unended.ts';

/** The clocks of two processes may differ by this much. */
const SKEW_MS = 2_000;

/**
 * SQL condition on the notification `n`: it is due. A notification to be sent at once is due even if its creator's
 * clock is ahead of ours: nobody would look again before the next sweep.
 */
export function isDue(now: Date): RawBuilder<boolean> {
  const soon = new Date(now.getTime() + SKEW_MS);
  return sql<boolean>`n.due_at <= ${soon} and (n.due_at <= ${now} or n.due_at = n.created_at)`;
}

/** Makes notifications due that were to be sent at once, by a clock that was ahead and has been set back. */
export async function bringDueForward(db: Kysely<Database>, now: Date): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ due_at: now })
    .where(isScheduled('notifications'))
    .where('due_at', '>', now)
    .whereRef('due_at', '=', 'created_at')
    .execute();
}
