/** Stores that a gateway has refused a route's credentials for a notification. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/tables.ts';
import type { Route } from '../../route.ts';
import type { NotificationKey } from '../slice-store.ts';

/**
 * Stores a refusal. From then on, no worker sends the notification on this route, and its devices there are rejected
 * without a request. The notification's `reason` names the refusal.
 * @param reason the gateway's own reason
 */
export async function storeRefusal(
  db: Kysely<Database>,
  { appId, notificationId }: NotificationKey,
  { route, reason }: { route: Route; reason: string },
): Promise<void> {
  const refused = sql<string>`refused || jsonb_build_object(${route}::text, ${reason}::text)`;
  await db
    .updateTable('notifications')
    .set({ refused, reason: refusalReason(refused) })
    .where('app_id', '=', appId)
    .where('id', '=', notificationId)
    .where('state', '=', 'sending')
    .execute();
}

/** Returns a sentence that names every route on which the credentials were refused; null if there is none. */
export function refusalReason(refused: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select 'credentials refused: ' || string_agg(key || ' ' || value, ', ' order by key)
    from jsonb_each_text(${refused}))`;
}
