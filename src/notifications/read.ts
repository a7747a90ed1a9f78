/** Reads one notification of an app. */
import type { Kysely } from 'kysely';
import { isUuid } from '../uuid.ts';
import type { Clock } from '../clock.ts';
import { preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import { notificationRecord, recordColumns, type NotificationRecord } from './notification-reply.ts';

export function noSuchNotification(): ApiError {
  return new ApiError('not_found', { message: 'There is no such notification.' });
}

/** @throws {ApiError} `not_found` where the app has no notification of that id */
export async function readNotification(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
): Promise<NotificationRecord> {
  if (!isUuid(id)) throw noSuchNotification();
  const row = await db
    .selectFrom('notifications')
    .modifyFront(preparedAs('read_notification'))
    .select(recordColumns)
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw noSuchNotification();
  return notificationRecord(row, clock());
}
