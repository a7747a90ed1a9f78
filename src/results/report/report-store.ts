/** Reads what slices and claims have kept about their outcomes. */
import { type Kysely, sql } from 'kysely';
import type { Database, NotificationsTable } from '../../db/tables.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';

/** A curve has at most this many points, however long the sending takes. */
export const POINTS_MAX = 300;

/** Parts that are read at most: those of some 2,000 slices in progress. Those of the others are missing in the report. */
const PARTS_MAX = 4_000;

export interface StoredReport {
  state: NotificationsTable['state'];
  body: string;
  reason: string | null;
  startedAt: Date | null;
  prunedAt: Date | null;
  counters: Record<OutcomeKind, number>;
  /** From slices that have ended an attempt; '' stands for no reason. */
  tallied: { outcome: OutcomeKind; reason: string; devices: number }[];
  /** Packed outcomes without a tally: parts of slices in progress, or those of a notification without slices. */
  packed: Buffer[];
  stepSeconds: number;
  /** For each step since the start, by number: the devices whose slice ended in it. */
  steps: { step: number; devices: number }[];
}

/**
 * Reads all of it in one statement, so that nothing is counted twice. @returns undefined if the app has no such
 * notification
 */
export async function readStoredReport(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  now: Date,
): Promise<StoredReport | undefined> {
  const { rows } = await sql<StoredReport>`
    with n as materialized (
      select *, greatest(1, ceil(extract(epoch from coalesce(ended_at, ${now}) - started_at) / ${POINTS_MAX}))::int as step
      from notifications where app_id = ${appId} and id = ${notificationId}
    ), slices as materialized (
      select s.finished_at, outcome.key as outcome, reason.key as reason, reason.value::int as devices
      from delivery_slices as s, jsonb_each(s.tally) as outcome, jsonb_each_text(outcome.value) as reason
      where s.app_id = ${appId} and s.notification_id = ${notificationId}
    )
    select n.state, n.body, n.reason, n.started_at as "startedAt", n.pruned_at as "prunedAt",
      json_build_object('accepted', n.accepted, 'rejected', n.rejected, 'unregistered', n.unregistered,
        'no_token', n.no_token, 'ambiguous', n.ambiguous,
        'dropped', n.dropped, 'expired', n.expired, 'capped', n.capped) as counters,
      coalesce((select json_agg(t) from (
        select outcome, reason, sum(devices) as devices from slices group by outcome, reason
      ) as t), '[]') as tallied,
      array(select n.outcomes where n.outcomes is not null) || array(
        select p.outcomes from delivery_progress as p
        where p.app_id = ${appId} and p.notification_id = ${notificationId} limit ${PARTS_MAX}
      ) as packed,
      n.step as "stepSeconds",
      coalesce((select json_agg(t order by t.step) from (
        select floor(extract(epoch from greatest(slices.finished_at - n.started_at, '0')) / n.step)::int as step,
          sum(devices) as devices
        from slices where slices.finished_at is not null group by 1
      ) as t), '[]') as steps
    from n`.execute(db);
  return rows[0];
}
