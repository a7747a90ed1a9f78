/** Cancels a notification that has not ended. Nothing more is sent for it. */
import type { Kysely } from 'kysely';
import { isUuid } from '../uuid.ts';
import type { Author } from '../audit/author.ts';
import { inTransaction, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError } from '../api/errors.ts';
import type { Observe } from '../observe.ts';
import { noSuchNotification, readNotification } from './look-up/read.ts';
import { notificationFrom, replyColumns, type NotificationReply } from './look-up/notification-reply.ts';

/**
 * Cancels in one statement, and only if the state is `scheduled` or `sending`. The statements that plan, send or end a
 * notification check its state in the same way, so exactly one of several concurrent statements succeeds.
 * @param deps `author` is for the audit log; undefined: no entry
 * @throws {ApiError} `not_found`; `already_ended` if it is already sent, canceled, failed or validated
 */
export async function cancelNotification(
  db: Kysely<Database>,
  appId: string,
  id: string,
  { clock, observe, author }: { clock: Clock; observe: Observe; author?: Author | undefined },
): Promise<NotificationReply> {
  if (!isUuid(id)) throw noSuchNotification();
  const now = clock();
  const row = await inTransaction(db, async (transaction) => {
    const canceled = await transaction
      .updateTable('notifications')
      .set({ state: 'canceled', ended_at: now, encrypted_body: null })
      .where('app_id', '=', appId)
      .where('id', '=', id)
      .where('state', 'in', ['scheduled', 'sending'])
      .returning([...replyColumns, 'request_id'])
      .executeTakeFirst();
    if (canceled === undefined) return undefined;
    const { started_at: startedAt, accepted } = canceled;
    const change = {
      before: { state: startedAt === null ? 'scheduled' : 'sending' },
      after: { state: canceled.state, accepted },
    };
    await recordChange(
      transaction,
      author,
      { appId, action: 'notification.canceled', objectId: id, ...change },
      clock,
    );
    return canceled;
  });
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
