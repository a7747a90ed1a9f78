/** What Postgres knows of troubles: one statement a second for each process, whatever the number of devices. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import type { SearchStart } from '../scheduling/search-start.ts';
import { isScheduled } from '../unended.ts';
import type { Found } from './in-words.ts';
import type { LeftTrouble } from './pulse.ts';

export interface StoredFacts {
  now: Date;
  /** Since a thread that sends has shown itself last; null: none has for a day. */
  pulseAgeMs: number | null;
  /** Left by the threads that live. */
  left: LeftTrouble[];
  /** The lock on a table for which a statement has waited longest; null: none has waited for long. */
  lock: { sinceMs: number; table: string } | null;
  /** Of apps: paused routes, webhooks that fail, notifications whose last attempt failed or that nobody has planned. */
  found: Found[];
}

/** A thread that has not shown itself for this long is dead, or stands still. */
export const DEAD_AFTER_MS = 3_500;
/** A notification is planned within two seconds of its time; bulk notifications before it take longer. */
const WAITS_LONG_MS = 60_000;
/** No statement of ours takes so long: one that waits for a lock is delayed by someone else's transaction. */
const LOCKED_LONG_MS = 2_000;
/** Of those, so many are counted. */
const WAITING_COUNTED_MAX = 1_000;
/** Of each kind in the list. */
const LISTED_MAX = 200;

/** @param search `start`: where the search for notifications that nobody has planned begins, kept for the next call */
export async function readFacts(
  db: Kysely<Database>,
  { start, now }: { start: SearchStart; now: Date },
): Promise<StoredFacts> {
  const { rows } = await sql<StoredFacts>`select ${preparedAs('read_troubles')} clock_timestamp() as now,
      (select extract(epoch from clock_timestamp() - max(seen_at))::float8 * 1000 from worker_pulses) as "pulseAgeMs",
      coalesce((
        select json_agg(trouble) from worker_pulses as p cross join lateral jsonb_array_elements(p.troubles) as trouble
        where p.seen_at > clock_timestamp() - ${DEAD_AFTER_MS} * interval '1 millisecond'
      ), '[]') as left,
      ${longestLock()} as lock,
      ${pausedRoutes()} || ${failingWebhooks()} || ${troubledNotifications()} || ${waitingNotifications(start.begin(now))} as found`.execute(
    db,
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('Postgres returned no row');
  const waiting = facts.found.filter(({ code }) => code === 'notifications_waiting');
  const sinceMs = waiting.map((found) => found.sinceMs);
  start.end(new Date(Math.min(...sinceMs, facts.now.getTime() - WAITS_LONG_MS)));
  return facts;
}

/**
 * On tables of ours; others may be in the same database. Only modes that reading and writing rows take: maintenance may wait for its
 * like, and nobody for it.
 */
function longestLock(): RawBuilder<StoredFacts['lock']> {
  return sql`(
    select json_build_object('sinceMs', ${ms('waitstart')}, 'table', relation::regclass::text) from pg_locks
    where not granted and mode in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
      and database = (select oid from pg_database where datname = current_database())
      and (select relnamespace from pg_class where oid = relation)
        = (select relnamespace from pg_class where oid = to_regclass('devices'))
      and waitstart < clock_timestamp() - ${LOCKED_LONG_MS} * interval '1 millisecond'
    order by waitstart limit 1)`;
}

function pausedRoutes(): RawBuilder<Found[]> {
  return list(
    'route_paused',
    sql`select r.app_id, ${ms('r.paused_at')} as ms, r.pause_reason as reason, jsonb_build_object('route', r.route) as more
      from route_states as r
      where r.pause is not null and exists (
        select from gateway_credentials as c where c.app_id = r.app_id and c.version = r.version)`,
  );
}

function failingWebhooks(): RawBuilder<Found[]> {
  return list(
    'webhook_failing',
    sql`select app_id, ${ms('failing_since')} as ms, last_failure as reason,
        jsonb_build_object('webhookId', id, 'url', url) as more
      from webhooks where failing_since is not null`,
  );
}

function troubledNotifications(): RawBuilder<Found[]> {
  return list(
    'notifications_troubled',
    sql`select t.app_id, min(${ms('coalesce(t.since, t.failed_at)')}) as ms,
        (array_agg(t.message order by t.failed_at desc))[1] as reason,
        jsonb_build_object('count', count(*),
          'notificationId', (array_agg(t.notification_id order by t.failed_at desc))[1]) as more
      from notification_troubles as t
      join notifications as n on n.app_id = t.app_id and n.id = t.notification_id
      where t.failures > 0 and n.state in ('scheduled', 'sending')
      group by t.app_id`,
  );
}

/** `now()`, which unlike `clock_timestamp()` is the same for all rows: so the index of due notifications is read only so far. */
function waitingNotifications(from: Date): RawBuilder<Found[]> {
  return list(
    'notifications_waiting',
    sql`select n.app_id, min(${ms('n.due_at')}) as ms, null as reason, jsonb_build_object('count', count(*)) as more
      from (
        select app_id, due_at from notifications as n
        where ${isScheduled('n')} and due_at >= ${from}
          and due_at < now() - ${WAITS_LONG_MS} * interval '1 millisecond'
        order by due_at limit ${WAITING_COUNTED_MAX}
      ) as n
      group by n.app_id`,
  );
}

/** @param rows of app_id, ms (Unix), reason and more, an object with further keys */
function list(code: Found['code'], rows: RawBuilder<unknown>): RawBuilder<Found[]> {
  return sql`coalesce((
    select jsonb_agg(jsonb_build_object('code', ${code}::text, 'appId', f.app_id, 'app', a.bundle_id, 'sinceMs', f.ms,
      'reason', f.reason) || f.more order by f.ms)
    from (${rows} limit ${LISTED_MAX}) as f join apps as a on a.id = f.app_id), '[]')`;
}

function ms(column: string): RawBuilder<number> {
  return sql.raw(`round(extract(epoch from ${column}) * 1000)::bigint`);
}
