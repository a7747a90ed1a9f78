/** Says which webhooks of an app do not get their events. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/tables.ts';

/** How many of the latest deliveries are read, because the newest may not have been attempted yet. */
const LATEST = 100;

export interface FailingWebhook {
  id: string;
  url: string;
  lastStatus: number | null;
  lastError: string | null;
}

/** @returns the webhooks whose latest attempted delivery has not been delivered; an app has ten webhooks at most */
export async function listFailingWebhooks(db: Kysely<Database>, appId: string): Promise<FailingWebhook[]> {
  const { rows } = await sql<FailingWebhook>`
    select webhook.id, webhook.url, latest.last_status as "lastStatus", latest.last_error as "lastError"
    from webhooks as webhook
    cross join lateral (
      select state, last_status, last_error
      from (
        select state, attempt, last_status, last_error, created_at, id
        from webhook_deliveries
        where app_id = webhook.app_id and webhook_id = webhook.id
        order by created_at desc, id desc
        limit ${LATEST}
      ) as newest
      where last_status is not null or last_error is not null
      order by created_at desc, id desc
      limit 1
    ) as latest
    where webhook.app_id = ${appId} and latest.state <> 'delivered'
    order by webhook.created_at, webhook.id`.execute(db);
  return rows;
}
