import { type Kysely, sql } from 'kysely';
import { isUuid } from '../../uuid.ts';
import type { Clock } from '../../clock.ts';
import { preparedAs } from '../../db/prepared.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError } from '../../api/errors.ts';
import { readWaveReplies } from '../moment/wave-reply.ts';
import { notificationFrom, replyColumns, type NotificationReply } from './notification-reply.ts';

export function noSuchNotification(): ApiError {
  return new ApiError('not_found', { message: 'There is no such notification.' });
}

/** @throws {ApiError} `not_found` if the app has no notification with that id */
export async function readNotification(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<NotificationReply> {
  if (!isUuid(id)) throw noSuchNotification();
  const row = await db
    .selectFrom('notifications')
    .modifyFront(preparedAs('read_notification'))
    .select(replyColumns)
    .select(sql<boolean>`planned_in is not null`.as('has_waves'))
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw noSuchNotification();
  const notification = notificationFrom(row, clock());
  if (!row.has_waves) return notification;
  return { ...notification, waves: await readWaveReplies(db, appId, row.id) };
}
