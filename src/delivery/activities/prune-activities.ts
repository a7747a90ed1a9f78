/** Deletes what ended Live Activities leave behind: the tokens of activities, and the list of their updates. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/** iOS shows an activity for 12 hours at most, and nothing is sent to it after that (`ACTIVITY_SECONDS_MAX`). */
const KEPT_MS = 48 * 60 * 60_000;

/** @returns the number of rows deleted; less than `limit` if none are left */
export async function deleteActivityTokens(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from named_tokens where (app_id, type, name, device_id) in (
      select app_id, type, name, device_id from named_tokens
      where type = 'live_activity' and presented_at < ${new Date(now.getTime() - KEPT_MS)}
      order by presented_at
      limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}

/** @returns the number of rows deleted; less than `limit` if none are left */
export async function deleteActivityPushes(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from activity_pushes where (app_id, activity_id, event, created_at, notification_id) in (
      select app_id, activity_id, event, created_at, notification_id from activity_pushes
      where created_at < ${new Date(now.getTime() - KEPT_MS)}
      order by created_at
      limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows);
}
