import { type RawBuilder, sql } from 'kysely';

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
