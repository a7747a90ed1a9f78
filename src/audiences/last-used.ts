/**
 * Records when an audience was last used: targeted by a notification, read, or listed with its devices. Precise to the day,
 * so that an audience in constant use is written once a day and not per push. Audiences made on the fly expire by it
 * (`expire.ts`).
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The common table expression `used`, which records a use, for a statement that has the audience's `id` and
 * `last_used_at` as `known`.
 */
export function recordUseSql(appId: string, now: Date): RawBuilder<unknown> {
  const before = dayBefore(now);
  // By a key that is nearly always null, so that no row is read. A join would keep the plan that was made while the table
  // was small.
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
