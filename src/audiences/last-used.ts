/**
 * When an audience was last used: targeted by a notification, read, or asked for its devices. To the day, so that what
 * is used all the time is written once a day and not with every push. What is made on the fly expires by it
 * (`expire.ts`).
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The common table expression `used`, which notes a use, for a statement that has the `id` and `last_used_at` of the
 * audience as `known`.
 */
export function notedUse(appId: string, now: Date): RawBuilder<unknown> {
  const before = dayBefore(now);
  // By its key, which nearly always is null, so that no row is looked for: a join would be planned once, for a small
  // table, and kept while that grows.
  return sql`used as (
      update audiences set last_used_at = ${now}
      where app_id = ${appId} and id = (select id from known where last_used_at < ${before})
        and last_used_at < ${before}
    )`;
}

/** Notes the use of an audience that was read, where that is due. */
export async function noteUse(
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
