/**
 * Records when an audience was last used: targeted by a notification, read, or listed with its devices. It is precise
 * to the day, so that a busy audience is written once per day and not for every push. Audiences made on the fly are
 * deleted some time after their last use (`expire.ts`).
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Records the use of an audience that was read, at most once per day. */
export async function recordUse(
  db: Kysely<Database>,
  { appId, id, lastUsedAt }: { appId: string; id: string; lastUsedAt: Date },
  now: Date,
): Promise<void> {
  const before = usedBefore(now);
  if (lastUsedAt >= before) return;
  await db
    .updateTable('audiences')
    .set({ last_used_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('last_used_at', '<', before)
    .execute();
}

/** Uses of an audience whose last recorded use is older than this are recorded. */
export function usedBefore(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}
