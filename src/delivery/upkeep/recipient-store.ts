/** The statements that fill `notifications_by_recipient`. Each changes a bounded number of rows and may be repeated. */
import { type Kysely, sql } from 'kysely';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database } from '../../db/tables.ts';
import { recipientsOfFilters, TO_MANY } from '../../notifications/recipients.ts';

/** Where an app's entries are missing. */
interface Missing {
  appId: string;
  before: Date;
  beforeId: string;
}

/** @returns an app that can be worked on now; undefined if there is none */
export async function findMissing(db: Kysely<Database>, now: Date): Promise<Missing | undefined> {
  const { rows } = await sql<Missing>`
    select app_id as "appId", before, before_id as "beforeId" from recipients_missing
    where before <= ${now} order by app_id limit 1`.execute(db);
  return rows[0];
}

interface Earlier {
  id: string;
  createdAt: Date;
  isPruned: boolean;
  /** JSON of filters that may name recipients; null if there are none, or too many. */
  filters: unknown;
}

/** A hundred names are shorter. */
const BYTES_MAX = 65_536;

/**
 * Adds the entries of the next earlier notifications of the app, and notes how far it has come. A page without one that still has
 * outcomes is the last.
 */
export async function addEarlier(
  db: Kysely<Database>,
  { appId, before, beforeId }: Missing,
  limit: number,
): Promise<void> {
  const { rows: page } = await sql<Earlier>`
    select n.id, n.created_at as "createdAt", n.pruned_at is not null as "isPruned",
      case when octet_length(named.filters::text) <= ${sql.lit(BYTES_MAX)} then named.filters end as filters
    from notifications as n
    left join audiences as a on a.app_id = n.app_id and a.id = n.audience_id and a.kind = 'on_the_fly'
    cross join lateral (select coalesce(n.filters, a.filters) as filters) as named
    where n.app_id = ${appId} and (n.created_at, n.id) < (${before}, ${beforeId}::uuid)
    order by n.created_at desc, n.id desc
    limit ${limit}`.execute(db);
  const entries = page.flatMap(({ id, createdAt, isPruned, filters }) => {
    if (isPruned) return [];
    const named = filters === null ? [TO_MANY] : recipientsOfFilters(filtersOfAudience(filters));
    return named.map((recipient) => ({ id, createdAt, recipient }));
  });
  const last = page.at(-1);
  const isLast = last === undefined || page.length < limit || entries.length === 0;
  const noted = isLast
    ? sql`delete from recipients_missing where app_id = ${appId}`
    : sql`update recipients_missing set before = ${last.createdAt}, before_id = ${last.id} where app_id = ${appId}`;
  await sql`
    with noted as (${noted})
    insert into notifications_by_recipient (recipient_day, created_at, notification_id)
    select recipient_day(recipient_number(${appId}::uuid, recipient), day_number(created_at)), created_at, id
    from unnest(
      ${entries.map(({ recipient }) => recipient)}::text[], ${entries.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${entries.map(({ id }) => id)}::uuid[]
    ) as entry (recipient, created_at, id)
    on conflict do nothing`.execute(db);
}
