/** Cancels a notification that has not ended; no further devices are sent to. */
import type { Kysely } from 'kysely';
import { isUuid } from '../uuid.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { noSuchNotification, readNotification } from './read.ts';
import { notificationFrom, replyColumns, type NotificationReply } from './notification-reply.ts';

/**
 * One statement, conditional on the state that it changes. Planning, sending and ending a notification are conditional
 * on `scheduled` or `sending` in the same way, so exactly one of them wins.
 * @throws {ApiError} `not_found`; `already_ended` where it is already sent, canceled, failed or validated
 */
export async function cancelNotification(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { clock, observe }: { clock: Clock; observe: Observe },
): Promise<NotificationReply> {
  if (!isUuid(id)) throw noSuchNotification();
  const now = clock();
  const row = await db
    .updateTable('notifications')
    .set({ state: 'canceled', ended_at: now })
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('state', 'in', ['scheduled', 'sending'])
    .returning([...replyColumns, 'request_id'])
    .executeTakeFirst();
  if (row !== undefined) {
    const { id: notificationId, state, reason, request_id: requestId } = row;
    observe({ kind: 'notification_ended', notificationId, requestId, state, reason });
    return notificationFrom(row, now);
  }
  const { state } = await readNotification(db, appId, id, clock);
  throw new ApiError('already_ended', {
    message: `The notification has already ended (${state}) and cannot be canceled.`,
  });
}
