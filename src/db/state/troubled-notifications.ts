/** Finds the notifications that cannot be planned or sent now, for operators. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** Their number, and the cause of the last failure, without values. */
export interface Troubled {
  count: number;
  message: string;
}

/**
 * Counts notifications whose last attempt has failed, and that have not ended. The table has few rows.
 * @param appId undefined: of all apps
 */
export async function countTroubled(db: Kysely<Database>, appId?: string): Promise<Troubled> {
  const ofApp = appId === undefined ? sql`true` : sql`t.app_id = ${appId}`;
  const { rows } = await sql<{ count: number; message: string | null }>`
    select count(*) as count, (array_agg(t.message order by t.failed_at desc))[1] as message
    from notification_troubles as t
    join notifications as n on n.app_id = t.app_id and n.id = t.notification_id
    where ${ofApp} and t.failures > 0 and n.state in ('scheduled', 'sending')`.execute(db);
  const [{ count, message } = { count: 0, message: null }] = rows;
  return { count, message: message ?? '' };
}

/** A sentence without a full stop. */
export function troubledInWords({ count, message }: Troubled): string {
  const what =
    count === 1
      ? 'A notification cannot be planned or sent, and is tried again'
      : `${count} notifications cannot be planned or sent, and are tried again`;
  return `${what}: ${message}`;
}
