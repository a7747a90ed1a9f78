/** Lists an app's notifications, newest first, in pages. */
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { cursorOf, pageCursor } from '../page-cursor.ts';
import { notificationFrom, replyColumns, notificationReply } from './notification-reply.ts';

const PER_PAGE_MAX = 100;
const PER_PAGE_DEFAULT = 25;

export const listReply = z.strictObject({
  notifications: z.array(notificationReply),
  meta: z.strictObject({
    cursor: z.string().nullable().describe('Leads to the next page; null on the last one.'),
  }),
});

export type NotificationList = z.output<typeof listReply>;

const perRule = `must be a whole number from 1 to ${PER_PAGE_MAX}`;

/** The query parameters. Both arrive as text. */
export const listQuery = z.object({
  per: z
    .string(perRule)
    .regex(/^[1-9]\d{0,2}$/, perRule)
    .transform(Number)
    .refine((per) => per <= PER_PAGE_MAX, perRule)
    .meta({ type: 'integer', minimum: 1, maximum: PER_PAGE_MAX, description: 'Notifications per page.' })
    .default(PER_PAGE_DEFAULT),
  cursor: pageCursor,
});

export async function listNotifications(
  db: Kysely<Database>,
  appId: string,
  query: z.output<typeof listQuery>,
  clock: Clock,
): Promise<NotificationList> {
  const { per, cursor: position } = query;
  let select = db
    .selectFrom('notifications')
    .select(replyColumns)
    .where('app_id', '=', appId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(per + 1); // one more, to know whether there is a next page
  if (position !== undefined) {
    // A row comparison reads one range of the index (notifications_newest); two separate conditions would not.
    select = select.where(sql<boolean>`(created_at, id) < (${position.createdAt}, ${position.id}::uuid)`);
  }
  const rows = await select.execute();
  const page = rows.slice(0, per);
  const now = clock();
  const last = rows.length > per ? page.at(-1) : undefined;
  return {
    notifications: page.map((row) => notificationFrom(row, now)),
    meta: { cursor: last === undefined ? null : cursorOf({ createdAt: last.created_at, id: last.id }) },
  };
}
