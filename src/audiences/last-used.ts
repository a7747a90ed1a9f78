/**
 * Records when an audience was last used: targeted by a notification, read, or listed with its devices. It is precise to
 * the day, so that a busy audience is written once a day and not for every push. Audiences made on the fly are deleted some
 * time after their last use (`expire.ts`).
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The common table expression `used`, which records a use. The statement must have a common table expression `known` with
 * the `id` and `last_used_at` of the audience.
 */
export function recordUseSql(appId: string, now: Date): RawBuilder<unknown> {
  const before = dayBefore(now);
  // Looks up the row by a key that is nearly always null, so that no row is read. A join would keep a plan made when the
  // table was small.
  return sql`used as (
      update audiences set last_used_at = ${now}
      where app_id = ${appId} and id = (select id from known where last_used_at < ${before})
        and last_used_at < ${before}
    )`;
}

/** Records the use of an audience that was read, at most once a day. */
export async function recordUse(
  db: Kysely<Database>,
  { appId, id, lastUsedAt }: { appId: string; id: string; lastUsedAt: Date },
  now: Date,
): Promise<void> {
  const before = dayBefore(now);
  if (lastUsedAt >= before) return;
  await db
    .updateTable('audiences')
    .set({ last_used_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('last_used_at', '<', before)
    .execute();
}

function dayBefore(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}
