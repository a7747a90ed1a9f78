import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import { dueAt, isUnfinished, type NotificationKey } from '../slice-store.ts';

export interface Unworked extends NotificationKey {
  requestId: string;
  lane: 'direct' | 'bulk';
  slices: number;
}

/**
 * Finds notifications in state `sending` that have free slices, and counts these slices (up to `slicesMax`).
 * @param options `takesOver`: whether an expired lease counts as free
 */
export async function findUnworked(
  db: Kysely<Database>,
  now: Date,
  {
    slicesMax,
    takesOver = true,
    start = new SearchStart(),
  }: { slicesMax: number; takesOver?: boolean; start?: SearchStart },
): Promise<Unworked[]> {
  const from = start.begin(now);
  // `offset 0`: else the planner might read all notifications that are being sent.
  const { rows } = await sql<Unworked & { dueAt: Date }>`
    with due as materialized (
      select s.app_id, s.notification_id, min(${dueAt}) as due_at,
        count(*) filter (where ${takesOver} or s.state = 'waiting') as slices
      from delivery_slices as s
      where ${isUnfinished} and ${dueAt} >= ${from} and ${dueAt} <= ${now}
      group by s.app_id, s.notification_id
    )
    select due.app_id as "appId", due.notification_id as "notificationId", n.request_id as "requestId", n.lane,
      least(due.slices, ${slicesMax})::int as slices, due.due_at as "dueAt"
    from due cross join lateral (
      select state, request_id, lane from notifications where app_id = due.app_id and id = due.notification_id offset 0
    ) as n
    where n.state = 'sending'
    order by due.due_at`.execute(db);
  start.end(rows[0]?.dueAt ?? now);
  return rows
    .filter(({ slices }) => slices > 0)
    .map(({ appId, notificationId, requestId, lane, slices }) => ({
      appId,
      notificationId,
      requestId,
      lane,
      slices,
    }));
}
