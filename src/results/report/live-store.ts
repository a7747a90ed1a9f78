/** Reads the counters of the notifications that are being watched, and what limits them, by one statement for all of them. */
import { type Kysely, sql } from 'kysely';
import type { Database, NotificationsTable } from '../../db/tables.ts';
import type { Route } from '../../route.ts';
import type { OutcomeKind } from '../../delivery/outcomes/packed.ts';
import type { NotificationKey } from '../../delivery/slice-store.ts';

/** At most this many unfinished slices are read, the first ones; the slices in progress are among them. */
const SLICES_SAMPLED = 50;

export interface Watched extends NotificationKey {
  /** The key of its pace (`gateway_paces`). */
  project: string | null;
}

export interface LiveRow extends Record<OutcomeKind, number> {
  id: string;
  state: NotificationsTable['state'];
  reason: string | null;
  due_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  devices: number;
  /** Devices that wait for their moment. */
  held: number;
  /** When the next of its waves is due. */
  nextWaveAt: Date | null;
  /** Null unless it is being sent in slices. */
  slices: SampledSlices | null;
  pausedRoutes: { route: Route; reason: string }[];
  /** The pace of the app's Firebase project; null if nothing was sent there yet. */
  allowance: number | null;
  refilledAt: Date | null;
  pausedUntil: Date | null;
}

/** A sample of unfinished slices, by state. */
interface SampledSlices {
  /** A worker holds them. */
  leased: number;
  /** Those of them that are sent carefully, because a process died while it sent them (`delivery/troubles/careful.ts`). */
  careful: number;
  /** Any worker may lease them. */
  due: number;
  /** Routes that any of them waits for. */
  waitsFor: readonly Route[];
  /** When the first slice that is neither leased nor due may be leased (Unix ms). */
  nextAtMs: number | null;
}

/** Each row is read by its key. @returns the rows that exist, in any order */
export async function readLiveRows(
  db: Kysely<Database>,
  watched: readonly Watched[],
  now: Date,
): Promise<LiveRow[]> {
  const { rows } = await sql<LiveRow>`
    select n.id, n.state, n.reason, n.due_at, n.started_at, n.ended_at, n.devices,
      n.accepted, n.rejected, n.unregistered, n.no_token, n.ambiguous, n.dropped, n.expired, n.capped,
      coalesce(waves.held, 0) as held, waves.next_at as "nextWaveAt",
      case when n.state = 'sending' and n.slices_left > 0 then (
        select json_build_object(
          'leased', count(*) filter (where s.state = 'leased' and s.lease_until >= ${now}),
          'careful', count(*) filter (where s.state = 'leased' and s.lease_until >= ${now} and s.deaths > 0),
          'due', count(*) filter (where s.not_before <= ${now}
            and (s.state = 'waiting' or s.lease_until < ${now})),
          'waitsFor', coalesce((json_agg(s.waits_for) filter (where s.waits_for is not null)) -> 0, '[]'),
          'nextAtMs', round(extract(epoch from min(s.not_before) filter (where s.not_before > ${now})) * 1000))
        from (
          select * from delivery_slices as d
          where d.app_id = n.app_id and d.notification_id = n.id and d.state <> 'done'
          order by d.number limit ${SLICES_SAMPLED}
        ) as s
      ) end as slices,
      coalesce((
        select json_agg(json_build_object('route', r.route, 'reason', r.pause_reason))
        from route_states as r where r.app_id = n.app_id and r.pause is not null
      ), '[]') as "pausedRoutes",
      p.allowance, p.refilled_at as "refilledAt", p.paused_until as "pausedUntil"
    from unnest(
      ${watched.map(({ appId }) => appId)}::uuid[], ${watched.map(({ notificationId }) => notificationId)}::uuid[],
      ${watched.map(({ project }) => project)}::text[]
    ) as w (app_id, id, project)
    join lateral (
      select * from notifications where app_id = w.app_id and id = w.id offset 0
    ) as n on true
    left join lateral (
      select sum(devices)::bigint as held, min(due_at) as next_at from notification_waves
      where n.planned_in is not null and n.state = 'sending'
        and app_id = n.app_id and notification_id = n.id and state = 'waiting'
    ) as waves on true
    left join gateway_paces as p on p.project = w.project`.execute(db);
  return rows;
}
