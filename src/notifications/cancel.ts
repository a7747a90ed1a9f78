/** Cancels a notification that has not ended. It is sent to no further devices. */
import type { Kysely } from 'kysely';
import { isUuid } from '../uuid.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../errors.ts';
import type { Observe } from '../observe.ts';
import { noSuchNotification, readNotification } from './read.ts';
import { notificationFrom, replyColumns, type NotificationReply } from './notification-reply.ts';

/**
 * Cancels in one statement, only if the state is `scheduled` or `sending`. The statements that plan, send or end a
 * notification check its state in the same way, so exactly one of several concurrent statements succeeds.
 * @throws {ApiError} `not_found`; `already_ended` if it is already sent, canceled, failed or validated
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
