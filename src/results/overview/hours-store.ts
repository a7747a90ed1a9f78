/** The statements on `hourly_counts`. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';

/** @returns the time up to which the hours of all apps are counted; `earliest` if an app has none; undefined without apps */
export async function readCountedUntil(db: Kysely<Database>, earliest: Date): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date | null }>`
    select min(coalesce(u.until, greatest(a.created_at, ${earliest}))) as until
    from apps as a left join hourly_counts_until as u on u.app_id = a.id`.execute(db);
  return rows[0]?.until ?? undefined;
}

/**
 * Counts what happened in each hour, for all apps, and replaces what was counted before.
 * @param from the beginning of an hour
 * @param to the beginning of an hour
 */
export async function countHours(db: Kysely<Database>, from: Date, to: Date): Promise<void> {
  await sql`
    with ended as (
      select app_id, date_trunc('hour', ended_at, 'UTC') as hour, count(*) as notifications,
        sum(devices) as devices, sum(accepted) as accepted, sum(rejected) as rejected,
        sum(unregistered) as unregistered, sum(no_token) as no_token, sum(ambiguous) as ambiguous
      from notifications
      where ended_at >= ${from} and ended_at < ${to} and pruned_at is null and state <> 'validated'
      group by 1, 2
    ), opened as (
      select app_id, date_trunc('hour', opened_at, 'UTC') as hour, count(*) as opens
      from opens
      where opened_at >= ${from} and opened_at < ${to}
      group by 1, 2
    )
    insert into hourly_counts
    select app_id, hour, coalesce(notifications, 0), coalesce(devices, 0), coalesce(accepted, 0), coalesce(rejected, 0),
      coalesce(unregistered, 0), coalesce(no_token, 0), coalesce(ambiguous, 0), coalesce(opens, 0)
    from ended full join opened using (app_id, hour)
    on conflict (app_id, hour) do update set
      notifications = excluded.notifications, devices = excluded.devices, accepted = excluded.accepted,
      rejected = excluded.rejected, unregistered = excluded.unregistered, no_token = excluded.no_token,
      ambiguous = excluded.ambiguous, opens = excluded.opens`.execute(db);
}

/** Notes for all apps that every hour up to a time is counted. */
export async function saveCountedUntil(db: Kysely<Database>, until: Date): Promise<void> {
  await sql`
    insert into hourly_counts_until
    select id, ${until} from apps
    on conflict (app_id) do update set until = excluded.until
    where hourly_counts_until.until < excluded.until`.execute(db);
}

export const counted = [
  'notifications',
  'devices',
  'accepted',
  'rejected',
  'unregistered',
  'no_token',
  'ambiguous',
  'opens',
] as const;

export type Counted = Record<(typeof counted)[number], number>;

/**
 * Reads the hours of an app since a time. It reads the time of the count first, so the hours are never older than that
 * time says; it is undefined before the first count.
 */
export async function readHours(db: Kysely<Database>, appId: string, since: Date) {
  const progress = await db
    .selectFrom('hourly_counts_until')
    .select('until')
    .where('app_id', '=', appId)
    .executeTakeFirst();
  const hours = await db
    .selectFrom('hourly_counts')
    .select(['hour', ...counted])
    .where('app_id', '=', appId)
    .where('hour', '>=', since)
    .orderBy('hour')
    .execute();
  return { hours, until: progress?.until };
}
