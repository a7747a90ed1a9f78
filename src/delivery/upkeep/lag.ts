/** The delivery lag. An alert on it shows that workers are dead, stuck or too few. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import { SearchStart } from '../../scheduling/search-start.ts';
import { isBeingSent, isScheduled, isWaitingWave } from '../../unended.ts';
import { dueAt, isUnfinished, SLICES_LATE_MS } from '../slice-store.ts';

type LagStarts = ReturnType<typeof openLagStarts>;

/** Where a reading of the lag begins to search; kept for the next one. */
export function openLagStarts() {
  return {
    claims: new SearchStart(SLICES_LATE_MS),
    scheduled: new SearchStart(SLICES_LATE_MS),
    slices: new SearchStart(SLICES_LATE_MS),
    waves: new SearchStart(SLICES_LATE_MS),
    /** Of `readWaitingWaves`. */
    held: new SearchStart(SLICES_LATE_MS),
  };
}

/**
 * @returns the age of the oldest unfinished work, in milliseconds; 0 if there is none. A slice ages from the moment it
 *   was planned, or from the end of its last delay; an unplanned notification and a wave from their due time; a claim from
 *   the moment it was claimed. Leased slices count too, so that a stuck one shows.
 */
export async function readLagMs(db: Kysely<Database>, now: Date, starts = openLagStarts()): Promise<number> {
  const { claims, scheduled, slices, waves } = starts;
  const { rows } = await sql<Record<Exclude<keyof LagStarts, 'held'> | 'delayed', Date | null>>`
    with unfinished as materialized (
      select s.app_id, s.notification_id, min(s.not_before) as since, min(${dueAt}) as due_at
      from delivery_slices as s
      where ${isUnfinished} and ${dueAt} >= ${slices.begin(now)}
      group by s.app_id, s.notification_id
    ), slice as (
      select min(unfinished.since) as since, min(unfinished.due_at) as due_at
      from unfinished cross join lateral (
        select state from notifications where app_id = unfinished.app_id and id = unfinished.notification_id offset 0
      ) as n
      where n.state = 'sending'
    )
    select slice.due_at as slices, slice.since as delayed,
      (select min(n.started_at) from notifications as n
        where ${isBeingSent('n')} and n.slices_left = 0 and n.started_at >= ${claims.begin(now)}) as claims,
      (select min(n.due_at) from notifications as n
        where ${isScheduled('n')} and n.due_at >= ${scheduled.begin(now)}) as scheduled,
      (select min(w.due_at) from notification_waves as w
        where ${isWaitingWave('w')} and w.due_at >= ${waves.begin(now)}) as waves
    from slice`.execute(db);
  const [found] = rows;
  for (const name of ['claims', 'scheduled', 'slices', 'waves'] as const) {
    starts[name].end(new Date(earliestMs(found?.[name], now)));
  }
  return now.getTime() - earliestMs(found?.claims, found?.scheduled, found?.delayed, found?.waves, now);
}

function earliestMs(...dates: readonly (Date | null | undefined)[]): number {
  return Math.min(...dates.flatMap((date) => date?.getTime() ?? []));
}

/** The count reads no more waves than this, however many single pushes are held. */
const WAVES_COUNTED_MAX = 20_000;

/** @returns how late the oldest waiting wave is, and how many devices are in the next waves, as planning counted them */
export async function readWaitingWaves(
  db: Kysely<Database>,
  now: Date,
  start = new SearchStart(),
): Promise<{ lagMs: number; heldDevices: number }> {
  const { rows } = await sql<{ since: Date | null; held: number }>`
    select min(w.due_at) as since, coalesce(sum(w.devices), 0)::bigint as held
    from (
      select app_id, notification_id, due_at, devices from notification_waves as waiting
      where ${isWaitingWave('waiting')} and due_at >= ${start.begin(now)} order by due_at limit ${WAVES_COUNTED_MAX}
    ) as w
    join notifications as n on n.app_id = w.app_id and n.id = w.notification_id and n.state = 'sending'`.execute(
    db,
  );
  const { since = null, held = 0 } = rows[0] ?? {};
  start.end(new Date(earliestMs(since, now)));
  return { lagMs: Math.max(0, now.getTime() - (since ?? now).getTime()), heldDevices: held };
}
