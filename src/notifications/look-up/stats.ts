/** The statistics of a notification: opens, and pushes by result. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { isUuid } from '../../uuid.ts';
import type { Database } from '../../db/tables.ts';
import { count, idText, timeText } from '../../api/reply.ts';
import { noSuchNotification } from './read.ts';
import { parseContent } from '../message.ts';

export const statsReply = z
  .strictObject({
    id: idText,
    audience_id: idText
      .nullable()
      .describe('Null if it was sent to a `device_id` or `user_id`: no audience is stored.'),
    push_text: z.string().nullable().describe('The payload’s `alert`; null if it has none.'),
    published_time: timeText.describe(
      'The time at which sending began. Before that, the time at which it is due.',
    ),
    direct_opens: count.describe(
      'Devices that opened the push itself. Other opens are not reported, so this equals `opens`.',
    ),
    opens: count.describe('Devices that opened it, each counted once.'),
    pushes_succeeded: count.describe('Pushes that a gateway accepted.'),
    pushes_rejected: count.describe('Pushes that a gateway refused for good: `rejected` and `unregistered`.'),
  })
  .meta({ id: 'NotificationStats' });

export type NotificationStats = z.output<typeof statsReply>;

/** @throws {ApiError} `not_found` */
export async function notificationStats(
  db: Kysely<Database>,
  appId: string,
  id: string,
): Promise<NotificationStats> {
  if (!isUuid(id)) throw noSuchNotification();
  const row = await db
    .selectFrom('notifications')
    .select(['id', 'audience_id', 'body', 'due_at', 'started_at', 'accepted', 'rejected', 'unregistered'])
    .select('opens_pruned')
    .select((query) =>
      query
        .selectFrom('opens')
        .select(({ fn }) => fn.countAll<number>().as('opens'))
        .where('opens.app_id', '=', appId)
        .where('opens.notification_id', '=', id)
        .as('opens'),
    )
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw noSuchNotification();
  const opens = row.opens_pruned + (row.opens ?? 0);
  return {
    id: row.id,
    audience_id: row.audience_id,
    push_text: parseContent(row.body).payload.alert ?? null,
    published_time: (row.started_at ?? row.due_at).toISOString(),
    direct_opens: opens,
    opens,
    pushes_succeeded: row.accepted,
    pushes_rejected: row.rejected + row.unregistered,
  };
}
