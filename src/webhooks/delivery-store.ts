/** The sender's statements on `webhook_deliveries`. The rows are inserted by the features that cause the events. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

export interface TakenDelivery {
  appId: string;
  bundleId: string;
  webhookId: string;
  url: string;
  sealedSecret: Buffer;
  id: string;
  type: string;
  data: unknown;
  createdAt: Date;
  dueAt: Date;
  /** The number of this attempt, from 1. Its result is recorded only if no later attempt has started. */
  attempt: number;
}

/**
 * Leases due events, at most one per webhook; the longest due come first. An event is due again at `until`, unless its
 * attempt has been recorded by then.
 * @param request `from`: by the ids of webhooks, the time of the earliest events to search for; all, if it lacks a webhook.
 *   `except`: webhooks to skip
 */
export async function takeDue(
  db: Kysely<Database>,
  {
    now,
    until,
    from,
    except,
    limit,
  }: { now: Date; until: Date; from: ReadonlyMap<string, Date>; except: readonly string[]; limit: number },
): Promise<TakenDelivery[]> {
  const { rows } = await sql<TakenDelivery>`
    with due as (
      select first.*, webhook.url, webhook.sealed_secret
      from webhooks as webhook
      left join unnest(${[...from.keys()]}::uuid[], ${[...from.values()]}::timestamptz[]) as start (webhook_id, at)
        on start.webhook_id = webhook.id
      cross join lateral (
        select app_id, webhook_id, id, due_at
        from webhook_deliveries
        where app_id = webhook.app_id and webhook_id = webhook.id and ended_at is null
          and due_at >= coalesce(start.at, '-infinity') and due_at <= ${now}
        order by due_at
        limit 1
        for update skip locked
      ) as first
      where webhook.id <> all (${except}::uuid[])
      order by first.due_at
      limit ${limit}
    )
    update webhook_deliveries as delivery
    set attempt = delivery.attempt + 1, due_at = ${until}
    from due
    join apps on apps.id = due.app_id
    where delivery.app_id = due.app_id and delivery.webhook_id = due.webhook_id and delivery.id = due.id
    returning delivery.app_id as "appId", apps.bundle_id as "bundleId", delivery.webhook_id as "webhookId",
      due.url, due.sealed_secret as "sealedSecret", delivery.id, delivery.type, delivery.data,
      delivery.created_at as "createdAt", due.due_at as "dueAt", delivery.attempt`.execute(db);
  return rows;
}

export interface Attempted {
  status: number | null;
  error: string | null;
  next: { state: 'delivered' | 'failed' } | { state: 'waiting'; dueAt: Date };
}

/**
 * Records an attempt, unless a later one has started, and notes at the webhook if it fails now, or no longer.
 * @returns whether it was recorded
 */
export async function recordAttempt(
  db: Kysely<Database>,
  { appId, webhookId, id, attempt }: Pick<TakenDelivery, 'appId' | 'webhookId' | 'id' | 'attempt'>,
  { status, error, next }: Attempted,
  now: Date,
): Promise<boolean> {
  const failure =
    next.state === 'delivered' ? null : status === null ? (error ?? 'no response') : `status ${status}`;
  const times = next.state === 'waiting' ? sql`due_at = ${next.dueAt}` : sql`ended_at = ${now}::timestamptz`;
  const { rows } = await sql`
    with recorded as (
      update webhook_deliveries
      set state = ${next.state}, last_status = ${status}, last_error = ${error}, ${times}
      where app_id = ${appId} and webhook_id = ${webhookId} and id = ${id} and attempt = ${attempt}
        and state = 'waiting'
      returning 1
    ), noted as (
      update webhooks
      set last_failure = ${failure}::text,
        failing_since = case when ${failure}::text is not null then coalesce(failing_since, ${now}) end
      where app_id = ${appId} and id = ${webhookId} and last_failure is distinct from ${failure}::text
        and exists (select from recorded)
    )
    select from recorded`.execute(db);
  return rows.length === 1;
}

/**
 * Corrects times of a clock that has been set back: events that were not tried become due at once, others when a lease ends that is
 * taken now. A backoff is cut short, once.
 */
export async function bringEventsForward(
  db: Kysely<Database>,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  const dueAt = sql<Date>`case when attempt = 0 then ${now}::timestamptz else ${until}::timestamptz end`;
  await db
    .updateTable('webhook_deliveries')
    .set({ due_at: dueAt })
    .where('state', '=', 'waiting')
    .where('due_at', '>', dueAt)
    .execute();
}

/** Deletes deliveries that ended before a time, up to a limit. @returns their number */
export async function deleteEnded(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from webhook_deliveries where ctid = any (array(
      select ctid from webhook_deliveries where ended_at < ${before} order by ended_at limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
